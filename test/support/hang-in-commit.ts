import pg from 'pg';
import { waitFor } from '../../tools/servers/wait-for.ts';

/** Commits for ever. Each writes enough to the log that a stop at any time often meets the write. */
const COMMITS = `
  DO $$
  BEGIN
    LOOP
      PERFORM pg_logical_emit_message(true, 'test', repeat('x', 200000));
      COMMIT;
    END LOOP;
  END $$`;

/** True for a process of Postgres that writes the log, and so holds the lock for which every other commit waits. */
const WRITES_LOG = `
  SELECT wait_event IN ('WalWrite', 'WalSync') AS is
    FROM pg_stat_activity
   WHERE pid = $1`;

/**
 * Stops one session of Postgres by SIGSTOP while it writes the log: everything is answered but commits, which wait.
 *
 * @returns a function that resumes and ends the session
 */
export async function hangInCommit(databaseUrl: string): Promise<() => Promise<void>> {
  const [committer, other] = await Promise.all([connect(databaseUrl), connect(databaseUrl)]);
  const { processID: pid } = committer as unknown as { processID: number };
  void committer.query(COMMITS).catch(() => undefined);
  await waitFor(async () => {
    process.kill(pid, 'SIGSTOP');
    const { rows } = await other.query<{ is: boolean }>(WRITES_LOG, [pid]);
    if (rows[0]?.is) return true;
    process.kill(pid, 'SIGCONT');
    return false;
  });
  return async () => {
    await other.query('SELECT pg_terminate_backend($1)', [pid]);
    process.kill(pid, 'SIGCONT');
    await other.end();
  };
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
