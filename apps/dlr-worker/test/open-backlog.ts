import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { Carriers } from '@signalbox/database/ops/carriers';
import { insertReports } from '@signalbox/database/reports/reports';
import { fanOut } from '@signalbox/database/submissions/submissions';
import { newWebhookSecret } from '@signalbox/domain/webhooks/push-signature';
import { WebhookClient } from '@signalbox/gateways/webhook-client';
import { Fleet } from '@signalbox/runtime/fleet';
import { createLogger } from '@signalbox/runtime/logger';
import { Sealer } from '@signalbox/runtime/seal';
import { type TestRows, accept, addWebhooks, newReport, openRows } from '@signalbox/test/rows';
import { Backlog } from '../src/backlog.ts';
import { Endpoints } from '../src/endpoints.ts';
import { PushResults } from '../src/push-results.ts';
import { PushTargets } from '../src/push-targets.ts';
import { Pusher } from '../src/pusher.ts';

/** By default one webhook of a separate account. */
interface WebhookOptions {
  accountId?: string;
  maxInFlight?: number;
}

/** The backlog of a dlr-worker, on its own database. */
export interface OpenBacklog extends AsyncDisposable {
  rows: TestRows;
  backlog: Backlog;
  /** Logged events of level warn and above. */
  lines: object[];
  /** Adds a webhook. Returns its id. */
  webhook: (url: string, options?: WebhookOptions) => Promise<string>;
  /** Stores pushes of reports to a webhook that are due now. */
  due: (webhookId: string, count: number) => Promise<void>;
  /** Counts the pushes of a webhook by status and error. */
  pushes: (webhookId: string) => Promise<{ status: string; error: string | null; count: number }[]>;
}

/** Opens the real parts of a dlr-worker that make later tries: `await using t = await openBacklog();` */
export async function openBacklog(): Promise<OpenBacklog> {
  const rows = await openRows();
  const { db } = rows;
  const lines: object[] = [];
  const logger = createLogger('test', 'warn', {
    write: (line) => void lines.push(JSON.parse(line) as object),
  });
  const sealer = new Sealer(randomBytes(32).toString('base64'));
  const fleet = new Fleet({ beat: async (id) => [id], leave: async () => undefined });
  const endpoints = new Endpoints(db, fleet, logger);
  const results = new PushResults(db);
  const client = new WebhookClient({ allowPrivate: true, connectionsPerOrigin: 256, totalTimeoutMs: 2_000 });
  const pusher = new Pusher(endpoints, client, results, await Carriers.open(db), logger);
  const backlog = new Backlog(db, endpoints, new PushTargets(db, sealer), pusher, logger);
  return {
    rows,
    backlog,
    lines,
    webhook: async (url, { accountId = randomUUIDv7(), maxInFlight = 4 } = {}) => {
      const [id] = (await addWebhooks(db, accountId, 1)) as [string];
      await db.query(
        `UPDATE webhook SET name = id::text, endpoint = $2, max_in_flight = $3, sealed_secret = $4 WHERE id = $1`,
        [id, url, maxInFlight, sealer.seal(newWebhookSecret())],
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
      await backlog.close();
      await pusher.close();
      await results.close();
      await endpoints.close();
      await rows[Symbol.asyncDispose]();
    },
  };
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
