import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { noteKeyUses } from '@signalbox/database/accounts/api-keys';
import { upsertOptOuts } from '@signalbox/database/accounts/opt-outs';
import { insertInbounds } from '@signalbox/database/chat/inbound-messages';
import { addGatewayCounts } from '@signalbox/database/gateways/health';
import { clearWaiting, updateMessageIds } from '@signalbox/database/gateways/message-ids';
import { insertOrphans } from '@signalbox/database/gateways/orphans';
import { insertPins } from '@signalbox/database/gateways/pins';
import { deleteUnconfirmed, insertUnconfirmed } from '@signalbox/database/gateways/unconfirmed';
import { askAgain } from '@signalbox/database/ops/rescue';
import { type MessageClaim, renewClaims, returnClaims } from '@signalbox/database/messages/claims';
import { recordChatSubmits, recordSubmits } from '@signalbox/database/messages/submits';
import { addQueueSamples } from '@signalbox/database/ops/queue-minutes';
import { applyReports, insertReports } from '@signalbox/database/reports/reports';
import { insertSubmissions } from '@signalbox/database/submissions/submissions';
import { countSuspicions } from '@signalbox/database/verify/conversions';
import { lockQuotas, saveQuotas } from '@signalbox/database/verify/quotas';
import { decideAttempts } from '@signalbox/database/verify/attempts';
import { lockNumbers, saveSends } from '@signalbox/database/verify/verifications';
import { addEndpointCalls } from '@signalbox/database/webhooks/endpoint-hours';
import { addEndpoints, recordHealth } from '@signalbox/database/webhooks/endpoints';
import { recordPushes } from '@signalbox/database/webhooks/pushes';
import { addSender, addWebhooks, newInbound, newReport, newSubmission } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import {
  ACCOUNT,
  CONNECTIONS,
  ROUNDS,
  ROWS,
  type Race,
  claimed,
  idsOf,
  numberOf,
  storeMessageIds,
  testRaces,
} from './racing.ts';

const RACES: Record<string, Race> = {
  noteKeyUses: async (db) => {
    const ids = await idsOf(
      db,
      `INSERT INTO api_key (id, account_id, name, hash, prefix, last4, scopes)
       SELECT uuidv7(), $1, i, sha256(i::text::bytea), 'sb', 'last', '{}' FROM generate_series(1, $2) AS i RETURNING id`,
    );
    return (on, order, round) => {
      const at = new Date(Date.now() + round * 60_000);
      return noteKeyUses(
        on,
        order.map((i) => ({ keyId: ids[i]!, at })),
      );
    };
  },
  upsertOptOuts: async () => (db, order) =>
    upsertOptOuts(
      db,
      ACCOUNT,
      order.map((i) => ({ ...OPT_OUT, id: randomUUIDv7(), recipient: numberOf(i) })),
    ),
  insertInbounds: async (db) => {
    const to = '15550100001';
    await addSender(db, ACCOUNT, to);
    return (on, order) => {
      const inbounds = order.map((i) => newInbound({ from: numberOf(i), to }));
      return insertInbounds(on, inbounds);
    };
  },
  insertSubmissions: async () => (db, order, round) =>
    insertSubmissions(
      db,
      order.map((i) => {
        const idempotency = { path: '/v1/sms', key: `key-${round}-${i}`, bodyHash: Buffer.alloc(32) };
        return newSubmission({ accountId: ACCOUNT, idempotency });
      }),
    ),
  recordSubmits: async (db) => raceOfSubmits(await claimed(db), recordSubmits),
  recordChatSubmits: async (db) => raceOfSubmits(await claimed(db), recordChatSubmits),
  renewClaims: async (db) => {
    const claims = claimsOf(await claimed(db));
    return (on, order) => renewClaims(on, 60, claims(order));
  },
  returnClaims: async (db) => {
    const claims = claimsOf(await claimed(db));
    return (on, order) => returnClaims(on, claims(order));
  },
  askAgain: async (db) => {
    const submissionId = await claimed(db);
    await db.query(`UPDATE message SET status = 'SENT', sent_at = now() WHERE submission_id = $1`, [
      submissionId,
    ]);
    return (on, order) =>
      askAgain(
        on,
        'simulator',
        order.map((i) => ({ submissionId, n: i + 1 })),
      );
  },
  applyReports: async (db) => {
    const id = await claimed(db);
    const reports = Array.from({ length: ROUNDS * CONNECTIONS }, () =>
      Array.from({ length: ROWS }, (_, i) => newReport(id, { n: i + 1, status: 'SENT' })),
    );
    await insertReports(db, reports.flat());
    return (on, order) => {
      const mine = reports.pop()!;
      return applyReports(
        on,
        order.map((i) => mine[i]!.id),
      );
    };
  },
  recordPushes: async (db) => {
    const [webhookId] = (await addWebhooks(db, ACCOUNT, 1)) as [string];
    const reportIds = Array.from({ length: ROWS }, () => randomUUIDv7());
    return (on, order, round) =>
      recordPushes(
        on,
        [],
        order.map((i) => ({ ...PUSH, reportId: reportIds[i]!, webhookId, attempts: round + 1 })),
      );
  },
  recordHealth: async (db) => {
    const ids = await webhooks(db, 'health');
    await addEndpoints(db, ids);
    return (on, order) =>
      recordHealth(
        on,
        order.map((i) => ({ ...TALLY, webhookId: ids[i]! })),
      );
  },
  addEndpoints: async (db) => {
    const ids = await webhooks(db, 'endpoints');
    return (on, order) =>
      addEndpoints(
        on,
        order.map((i) => ids[i]!),
      );
  },
  addEndpointCalls: async (db) => {
    const ids = await webhooks(db, 'hours');
    return (on, order) =>
      addEndpointCalls(
        on,
        order.map((i) => ({ webhookId: ids[i]!, calls: 1, failures: 0 })),
      );
  },
  addGatewayCounts: async (db) => {
    await db.query(
      `INSERT INTO gateway (id, name, channel, kind, settings)
       SELECT uuidv7(), 'gateway-' || i, 'sms', 'simulator', '{}' FROM generate_series(0, $1::integer - 1) AS i`,
      [ROWS],
    );
    const counts = { accepted: 1, refused: 0, delivered: 0, failed: 0 };
    return (on, order) =>
      addGatewayCounts(
        on,
        order.map((i) => ({ ...counts, gateway: `gateway-${i}` })),
      );
  },
  addQueueSamples: async () => (db, order) =>
    addQueueSamples(
      db,
      order.map((i) => ({ ...SAMPLE, queue: `queue ${i}` })),
    ),
  countSuspicions: async () => (db, order) =>
    countSuspicions(
      db,
      order.map((i) => ({ accountId: ACCOUNT, dimension: 'key', value: String(i), action: 'flagged' })),
    ),
  lockNumbers: async () => async (db, order) => {
    const held = await lockNumbers(
      db,
      order.map((i) => ({ accountId: ACCOUNT, recipient: numberOf(i) })),
    );
    await saveSends(
      db,
      order.map((i) => ({ ...held[i]!, sends: [{ at: 1, configId: ACCOUNT, verifyId: ACCOUNT }] })),
    );
  },
  lockQuotas: async () => async (db, order) => {
    const held = await lockQuotas(
      db,
      order.map((i) => ({ accountId: ACCOUNT, quota: `prefix ${i}` })),
    );
    await saveQuotas(
      db,
      order.map((i) => held[i]!),
    );
  },
  decideAttempts: async (db) => {
    const ids = await idsOf(
      db,
      `WITH number AS (
         INSERT INTO verification_number (account_id, recipient)
         SELECT $1, 'try ' || i FROM generate_series(1, $2) AS i
       )
       INSERT INTO verification (id, account_id, config_id, key_id, recipient, country, is_test, status, code_mac,
                                 max_attempts, expires_at)
       SELECT uuidv7(), $1, $1, $1, 'try ' || i, 'IN', true, 'SENT', '', 30000, now() + interval '1 hour'
         FROM generate_series(1, $2) AS i
       RETURNING id`,
    );
    const nonce = randomBytes(16);
    const blinded = randomBytes(32);
    return (on, order) =>
      decideAttempts(
        on,
        order.map((i) => ({ verifyId: ids[i]!, accountId: ACCOUNT, blinded, blindedBefore: null })),
        nonce,
      );
  },
  updateMessageIds: async (db) => {
    const stored = await storeMessageIds(db, 'ids', 1);
    return (on, order) =>
      updateMessageIds(
        on,
        order.map((i) => ({ ...stored[i]!, status: 'SENT' })),
      );
  },
  clearWaiting: async (db) => {
    const stored = await storeMessageIds(db, 'waiting', 2);
    await updateMessageIds(db, stored);
    return (on, order) =>
      clearWaiting(
        on,
        order.map((i) => stored[i]!),
      );
  },
  insertOrphans: async () => (db, order, round) =>
    insertOrphans(
      db,
      order.map((i) => ({ ...ORPHAN, id: randomUUIDv7(), gatewayMessageId: `${round} ${i}` })),
    ),
  insertPins: async () => (db, order) =>
    insertPins(
      db,
      'pins',
      'TRANS',
      order.map((i) => ({ submissionId: ACCOUNT, n: i + 1, attempt: 1 })),
    ),
  insertUnconfirmed: async (db) => {
    const id = await claimed(db);
    return (on, order) =>
      insertUnconfirmed(
        on,
        'unconfirmed',
        'sms',
        order.map((i) => ({ submissionId: id, n: i + 1 })),
      );
  },
  deleteUnconfirmed: async (db) => {
    const id = await claimed(db);
    const keys = Array.from({ length: ROWS }, (_, i) => ({ submissionId: id, n: i + 1 }));
    await insertUnconfirmed(db, 'unconfirmed', 'sms', keys);
    return (on, order) =>
      deleteUnconfirmed(
        on,
        order.map((i) => keys[i]!),
      );
  },
};

await testRaces(RACES);

const OPT_OUT = { sender: '', source: 'api', reason: null, createdAt: new Date() };
const PUSH = {
  accountId: ACCOUNT,
  status: 'WAITING' as const,
  nextDelayMs: 5_000,
  responseStatus: 500,
  error: 'http_status',
  durationMs: 5,
  timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null },
  answer: '',
  requestHeaders: null,
  failedAttempt: false,
};
const TALLY = {
  calls: 1,
  failures: 1,
  succeeded: false,
  failuresInRow: 1,
  failingForMs: 0,
  probe: null,
};
const ORPHAN = {
  gateway: 'vendor',
  kind: 'inbound' as const,
  wakeId: '',
  recipient: '15550100009',
  status: null,
  errCode: '000',
  gatewayCode: null,
  description: '',
  content: {},
  reportedAt: new Date(),
};
const SAMPLE = { completed: 1, failed: 0, waiting: 1, active: 1, delayed: 1 };

/** Stores webhooks with a common name. @returns their ids */
function webhooks(db: EntityManager, name: string): Promise<string[]> {
  return idsOf(
    db,
    `INSERT INTO webhook (id, account_id, name, channel, provider, method, endpoint, headers, fields, max_in_flight, sealed_secret)
     SELECT uuidv7(), $1, '${name} ' || i, 'sms', 'any', 'POST', 'http://127.0.0.1:9', '[]', '{}', 4, ''
       FROM generate_series(1, $2) AS i
     RETURNING id`,
  );
}

/** The first claims of the messages of a submission. */
const claimsOf =
  (submissionId: string) =>
  (order: readonly number[]): MessageClaim[] =>
    order.map((i) => ({ submissionId, n: i + 1, attempt: 1 }));

/** Throttled messages stay pending, so that each round changes them again. */
function raceOfSubmits(submissionId: string, record: typeof recordSubmits): Awaited<ReturnType<Race>> {
  const throttled = { submissionId, result: 'throttled' as const, gatewayMessageId: null, retryAfterMs: 0 };
  return (db, order) =>
    record(
      db,
      'simulator',
      order.map((i) => ({ ...throttled, n: i + 1 })),
    );
}
