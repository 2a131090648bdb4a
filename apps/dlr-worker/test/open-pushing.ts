import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { Carriers } from '@signalbox/database/ops/carriers';
import { insertReports } from '@signalbox/database/reports/reports';
import { fanOut } from '@signalbox/database/submissions/submissions';
import { webhookRow } from '@signalbox/domain/sealed-rows';
import type { BatchSetting } from '@signalbox/domain/webhooks/push-batch';
import { newWebhookSecret } from '@signalbox/domain/webhooks/push-signature';
import { WebhookClient } from '@signalbox/gateways/webhook-client';
import type { Queues } from '@signalbox/queues/open-queues';
import { Fleet } from '@signalbox/runtime/fleet';
import { AccountThrottle } from '@signalbox/runtime/account-throttle';
import { createLogger } from '@signalbox/runtime/logger';
import { Sealer } from '@signalbox/runtime/seal';
import { type TestRows, accept, addWebhooks, newReport, openRows } from '@signalbox/test/rows';
import { PushAdmission } from '../src/reports/push-admission.ts';
import { DuePusher } from '../src/pushes/due-pusher.ts';
import { DeferredReports } from '../src/reports/deferred-reports.ts';
import { Endpoints } from '../src/endpoints/endpoints.ts';
import { PushResults } from '../src/pushes/push-results.ts';
import { PushSequencer } from '../src/pushes/push-sequencer.ts';
import { PushTargets } from '../src/pushes/push-targets.ts';
import { WebhookCalls } from '../src/pushes/webhook-calls.ts';
import { PushTries } from '../src/pushes/push-tries.ts';
import { FirstPusher } from '../src/pushes/first-pusher.ts';
import { ReportApplier } from '../src/reports/report.applier.ts';
import { ReportSettler } from '../src/reports/report-settler.ts';

/** Takes jobs and drops them. */
const NO_QUEUES = { get: () => ({ enqueueJobs: () => undefined }) } as unknown as Queues;

/** The signing secret of all webhooks. */
export const SECRET = newWebhookSecret();

/** A webhook; by default of a new account. */
interface WebhookOptions {
  accountId?: string;
  maxInFlight?: number;
  batch?: BatchSetting | null;
}

/** The parts of a dlr-worker that make pushes, on a new database. */
export interface OpenPushing extends AsyncDisposable {
  rows: TestRows;
  throttle: AccountThrottle;
  /** The clock of `throttle`, in milliseconds. */
  clock: { now: () => number };
  duePusher: DuePusher;
  admission: PushAdmission;
  deferred: DeferredReports;
  /** Opens the loop of another worker, which shares everything else with this one. */
  newDeferred: () => DeferredReports;
  reports: ReportSettler;
  /** Log lines at level warn and above. */
  lines: object[];
  /** Adds a webhook. Returns its id. */
  webhook: (url: string, options?: WebhookOptions) => Promise<string>;
  /** Stores pushes of reports to a webhook that are due now. */
  due: (webhookId: string, count: number) => Promise<void>;
  /** Counts the pushes of a webhook by status and error. */
  pushes: (webhookId: string) => Promise<{ status: string; error: string | null; count: number }[]>;
}

/** Opens the parts of a dlr-worker that make pushes, without its queue: `await using t = await openPushing();` */
export async function openPushing(): Promise<OpenPushing> {
  const rows = await openRows();
  const { db } = rows;
  const lines: object[] = [];
  const logger = createLogger('test', 'warn', {
    write: (line) => void lines.push(JSON.parse(line) as object),
  });
  const sealer = new Sealer(randomBytes(32).toString('base64'));
  const fleet = new Fleet({ beat: async (id) => [id], leave: async () => undefined });
  const endpoints = new Endpoints(db, fleet, logger);
  const clock = { now: () => performance.now() };
  const throttle = new AccountThrottle(() => clock.now());
  const results = new PushResults(db, throttle);
  const client = new WebhookClient({ allowPrivate: true, connectionsPerOrigin: 256 });
  const calls = new WebhookCalls(endpoints, client, await Carriers.open(db), logger);
  const tries = new PushTries(endpoints, calls, results, logger);
  const firstPusher = new FirstPusher(tries, results, throttle);
  const targets = new PushTargets(db, sealer);
  const duePusher = new DuePusher(db, endpoints, targets, tries, logger);
  const applier = new ReportApplier(db, NO_QUEUES, logger);
  const admission = new PushAdmission(db, targets, throttle);
  const reports = new ReportSettler(applier, admission, new PushSequencer(db), firstPusher, results);
  const newDeferred = () => new DeferredReports(db, admission, reports, throttle, logger);
  const pushing: OpenPushing = {
    rows,
    throttle,
    clock,
    duePusher,
    admission,
    deferred: newDeferred(),
    newDeferred,
    reports,
    lines,
    webhook: async (url, { accountId = randomUUIDv7(), maxInFlight = 4, batch = null } = {}) => {
      const [id] = (await addWebhooks(db, accountId, 1)) as [string];
      await db.query(
        `UPDATE webhook SET name = id::text, endpoint = $2, max_in_flight = $3, batch = $4, sealed_secret = $5 WHERE id = $1`,
        [id, url, maxInFlight, batch, sealer.seal(SECRET, webhookRow(accountId, id))],
      );
      return id;
    },
    due: (webhookId, count) => storeDue(rows, webhookId, count),
    pushes: (webhookId) =>
      db.query(
        `SELECT status, error, count(*)::integer AS count FROM push WHERE webhook_id = $1 GROUP BY 1, 2 ORDER BY 1, 2`,
        [webhookId],
      ),
    [Symbol.asyncDispose]: async () => {
      await duePusher.close();
      await pushing.deferred.close();
      await applier.close();
      await tries.close();
      await results.close();
      await endpoints.close();
      await rows[Symbol.asyncDispose]();
    },
  };
  return pushing;
}

async function storeDue({ db }: TestRows, webhookId: string, count: number): Promise<void> {
  const [webhook]: [{ accountId: string }] = await db.query(
    `SELECT account_id AS "accountId" FROM webhook WHERE id = $1`,
    [webhookId],
  );
  const { accountId } = webhook;
  const { id } = await accept(db, { accountId });
  await fanOut(db, [id], 60);
  const reports = Array.from({ length: count }, () => newReport(id));
  await insertReports(db, reports);
  await db.query(
    `INSERT INTO push (report_id, webhook_id, account_id, status, attempts, starts, next_attempt_at, error)
     SELECT report, $2, $3, 'WAITING', 0, 0, now() - interval '1 minute', 'put_off'
       FROM unnest($1::uuid[]) AS report`,
    [reports.map((report) => report.id), webhookId, accountId],
  );
}
