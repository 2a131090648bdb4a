import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { newSubmission } from '../test/support/new-submission.ts';
import { answerCommands } from './side-process.ts';

/** The statements of one checkout, on one connection. BENCH_ROOT names the checkout, which is built. */

const load = (path: string) =>
  import(pathToFileURL(`${process.env['BENCH_ROOT']}/libs/database/dist/${path}.js`).href);
const { openDataSource } = await load('core/data-source');
const { migrate } = await load('core/migrate');
const { insertSubmissions, fanOut } = await load('submissions/submissions');
const { listStarvedLanes } = await load('submissions/ready');
const { recordSubmits } = await load('messages/submits');
const { insertReports, applyReports } = await load('reports/reports');
const { recordPushes } = await load('webhooks/pushes');
const { claimLostReports, listLostMessages } = await load('ops/rescue');

const LEASE_SECONDS = 10;
const ACCOUNTS = Array.from({ length: 4 }, () => randomUUID());
const WEBHOOK = randomUUID();
const NO_TIMINGS = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: 1 };

let source: Awaited<ReturnType<typeof openDataSource>>;

let lastId = 0;
/** A UUIDv7 of now, in the order of the calls. */
function newId(): string {
  lastId = Math.max(lastId + 1, Date.now() * 4_096);
  const hex =
    Math.floor(lastId / 4_096)
      .toString(16)
      .padStart(12, '0') +
    '7' +
    (lastId % 4_096).toString(16).padStart(3, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12)}-${randomUUID().slice(19)}`;
}

/** An SMS of one of the accounts. */
const newSms = (_: unknown, i: number) =>
  newSubmission({
    id: newId(),
    accountId: ACCOUNTS[i % ACCOUNTS.length]!,
    content: { text: 'Your parcel is at the counter until six.', unicode: false, flash: false },
    recipients: [`9198${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`],
  });

let backend: number;
let cpu: Record<string, number[]> = {};

/** CPU of the backend, in µs. */
const micros = (): number => Number(readFileSync(`/proc/${backend}/schedstat`, 'utf8').split(' ')[0]) / 1e3;

/** Runs a function, and adds the CPU that it took in the backend to that of its name. */
async function timed<Args extends unknown[], R>(
  run: (...args: Args) => Promise<R>,
  ...args: Args
): Promise<R> {
  const start = micros();
  const result = await run(...args);
  (cpu[run.name] ??= []).push(micros() - start);
  return result;
}

/** The six statements of the life of `count` SMS: accepted, claimed, submitted, reported, moved, pushed. */
async function live(count: number): Promise<void> {
  const db = source.manager;
  const submissions = Array.from({ length: count }, newSms);
  await timed(insertSubmissions, db, submissions);
  const ids = submissions.map(({ id }) => id);
  await timed(fanOut, db, ids, LEASE_SECONDS);
  const keys = ids.map((submissionId) => ({ submissionId, n: 1 }));
  await timed(
    recordSubmits,
    db,
    'simulator',
    keys.map((key) => ({ ...key, result: 'sent', gatewayMessageId: randomUUID(), retryAfterMs: 0 })),
  );
  const reports = keys.map((key) => ({
    ...key,
    id: newId(),
    gateway: 'simulator',
    status: 'DELIVERED',
    errCode: '000',
    description: 'Message delivered',
    operatorCircle: null,
    reportedAt: new Date(),
  }));
  await timed(insertReports, db, reports);
  const reportIds = reports.map(({ id }) => id);
  const applied: { accountId: string; reportId: string }[] = await timed(applyReports, db, reportIds);
  if (applied.length !== count) throw new Error(`${applied.length} of ${count} messages moved`);
  await timed(
    recordPushes,
    db,
    reportIds,
    applied.map(({ reportId, accountId }) => ({
      reportId,
      webhookId: WEBHOOK,
      accountId,
      status: 'DELIVERED',
      attempts: 1,
      nextDelayMs: null,
      responseStatus: 200,
      error: null,
      durationMs: 3,
      timings: NO_TIMINGS,
      answer: '',
      requestHeaders: null,
      failedAttempt: false,
    })),
  );
}

/** Returns the number of batches of ready submissions; 0 in a checkout without them. */
async function countReadyBatches(): Promise<number> {
  const [{ exists }] = await source.query(`SELECT to_regclass('ready_batch') IS NOT NULL AS exists`);
  if (!exists) return 0;
  const [{ count }] = await source.query('SELECT count(*)::integer AS count FROM ready_batch');
  return count;
}

answerCommands({
  open: async ({ url }: { url: string }) => {
    await migrate(url);
    source = await openDataSource({ url, applicationName: 'bench', poolSize: 1, commit: 'repeatable' });
    const [{ pid }] = await source.query('SELECT pg_backend_pid() AS pid');
    backend = pid;
    // the pool would close an idle connection while the other checkout works, and with it the backend that is measured
    setInterval(() => source.isInitialized && void source.query('SELECT 1'), 2_000).unref();
    return pid;
  },
  live: async ({ batches, size }: { batches: number; size: number }) => {
    for (let batch = 0; batch < batches; batch += 1) await live(size);
  },
  /** As autovacuum does after a minute: the plans of an empty table are not those that stay. */
  analyze: () => source.query('ANALYZE'),
  /** Ends the leases of all batches; a checkout without batches has nothing to end. */
  expire: async () => {
    if ((await countReadyBatches()) > 0) await source.query(`UPDATE ready_batch SET due_at = now()`);
    const [{ batched }] = await source.query(`SELECT to_regclass('claim_batch') IS NOT NULL AS batched`);
    if (batched) {
      await source.query(`UPDATE claim_batch SET due_at = now() - interval '1 second'`);
      await source.query(`UPDATE report_batch SET due_at = now() - interval '1 second'`);
    }
  },
  rescue: async () => {
    while ((await countReadyBatches()) > 0) await listStarvedLanes(source.manager, 'sms');
    await listLostMessages(source.manager, ['TRANS']);
    await claimLostReports(source.manager, new Date(Date.now() + 60_000), false);
  },
  /** The CPU of each run of each statement since the last call, in µs. */
  cpu: () => {
    const runs = cpu;
    cpu = {};
    return runs;
  },
  /** The share of each table's updates that changed no index. */
  hot: async () => {
    await source.query('SELECT pg_stat_force_next_flush()');
    const rows: { name: string; share: number }[] = await source.query(
      `SELECT relname AS name, n_tup_hot_upd / n_tup_upd::float8 AS share FROM pg_stat_user_tables WHERE n_tup_upd > 1000`,
    );
    return Object.fromEntries(rows.map(({ name, share }) => [name, share]));
  },
  close: () => source.destroy(),
});
