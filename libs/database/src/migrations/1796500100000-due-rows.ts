import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndexes, dropIndexes } from './indexes.ts';

const PENDING = `status = 'PENDING' AND held_until IS NULL`;

/** [name, table and columns with the predicate] */
const AFTER = [
  ['message_due', `message (lane, due_at) WHERE due_at IS NOT NULL AND asks IS NULL`],
  ['message_asked', `message (asks, due_at) WHERE asks IS NOT NULL`],
  ['message_failure', `message (account_id, submission_id, n) WHERE failed_at IS NOT NULL`],
  ['message_reading', `message (account_id, submission_id, n) WHERE read_at IS NOT NULL`],
  ['message_of_recipient', `message (account_id, recipient COLLATE "C", submission_id, n)`],
  ['message_event_due', `message_event (is_code, due_at) WHERE due_at IS NOT NULL`],
] as const;

const BEFORE = [
  ['message_pending', `message (lane, claimed_until) WHERE ${PENDING} AND starts < 10`],
  ['message_parked', `message (submission_id, n) WHERE ${PENDING} AND starts >= 10`],
  [
    'message_unreported',
    `message (gateway, claimed_until) WHERE status = 'SENT' AND held_until IS NULL AND claimed_until < 'infinity'`,
  ],
  ['message_failed', `message (account_id, status, submission_id, n) WHERE status IN ('FAILED', 'READ')`],
  ['message_event_open', `message_event (id) WHERE settled_at IS NULL AND starts < 10`],
  ['message_event_parked', `message_event (id) WHERE settled_at IS NULL AND starts >= 10`],
] as const;

/** Rows of one transaction. Each is short, so that no worker waits for long. */
const BATCH = 5_000;

/** Messages that wait, found by the indexes of the previous version. */
const WAITING_MESSAGES = `
  SELECT submission_id, n FROM message WHERE ${PENDING} AND starts < 10 AND due_at IS NULL
   UNION ALL
  SELECT submission_id, n FROM message WHERE ${PENDING} AND starts >= 10 AND due_at IS NULL
   UNION ALL
  SELECT submission_id, n
    FROM message
   WHERE status = 'SENT' AND held_until IS NULL AND claimed_until < 'infinity' AND due_at IS NULL`;

const DATE_MESSAGES = `
  UPDATE message m
     SET lane = s.lane,
         due_at = CASE
                    WHEN m.status = 'SENT' THEN m.claimed_until
                    WHEN m.starts >= 10 THEN 'infinity'
                    ELSE m.claimed_until + interval '1 second'
                  END,
         asks = CASE m.status WHEN 'SENT' THEN m.gateway END
    FROM (SELECT * FROM unnest($1::uuid[], $2::integer[]) AS u(submission_id, n) ORDER BY 1, 2) AS waiting
    JOIN submission s ON s.id = waiting.submission_id
   WHERE m.submission_id = waiting.submission_id
     AND m.n = waiting.n
     AND m.status IN ('PENDING', 'SENT')
     AND m.held_until IS NULL
     AND m.due_at IS NULL`;

const OPEN_REPORTS = `
  SELECT id FROM message_event WHERE settled_at IS NULL AND starts < 10 AND due_at IS NULL
   UNION ALL
  SELECT id FROM message_event WHERE settled_at IS NULL AND starts >= 10 AND due_at IS NULL`;

const DATE_REPORTS = `
  UPDATE message_event r
     SET due_at = CASE
                    WHEN r.starts >= 10 THEN 'infinity'
                    ELSE r.received_at + make_interval(secs => 10 * 2 ^ r.starts)
                  END
    FROM (SELECT id FROM unnest($1::uuid[]) AS u(id) ORDER BY id) AS waiting
   WHERE r.id = waiting.id
     AND r.settled_at IS NULL
     AND r.due_at IS NULL`;

/**
 * Finds what is due by times that nearly no row has, so that no update of a message or a report changes an index, and
 * messages of a recipient by an index of their table. Dates the rows that wait. The table message_recipient stays for
 * the previous version, which still writes it. All of it runs while the service runs, and may be interrupted.
 */
export class DueRows1796500100000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndexes(runner, AFTER);
    await date(runner, WAITING_MESSAGES, DATE_MESSAGES, ['submission_id', 'n']);
    await date(runner, OPEN_REPORTS, DATE_REPORTS, ['id']);
    await dropIndexes(runner, BEFORE);
  }

  async down(runner: QueryRunner): Promise<void> {
    await buildIndexes(runner, BEFORE);
    await runner.query(
      `INSERT INTO message_recipient (account_id, recipient, submission_id, n)
       SELECT account_id, recipient, submission_id, n FROM message ON CONFLICT DO NOTHING`,
    );
    await runner.query(
      `UPDATE message SET claimed_until = COALESCE(due_at, 'infinity') WHERE status = 'SENT' AND held_until IS NULL`,
    );
    await dropIndexes(runner, AFTER);
  }
}

/** Reads the keys once, then dates their rows in small transactions. A run that was interrupted finds the rest. */
async function date(
  runner: QueryRunner,
  waiting: string,
  statement: string,
  key: readonly string[],
): Promise<void> {
  await runner.query(`DECLARE waiting CURSOR WITH HOLD FOR ${waiting}`);
  for (;;) {
    const rows: Record<string, unknown>[] = await runner.query(`FETCH ${BATCH} FROM waiting`);
    if (rows.length === 0) break;
    await runner.query(
      statement,
      key.map((column) => rows.map((row) => row[column])),
    );
  }
  await runner.query('CLOSE waiting');
}
