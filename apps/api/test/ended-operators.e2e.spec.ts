import { randomUUIDv7 } from 'node:crypto';
import { test } from '@jest/globals';
import { insertOrphans } from '@signalbox/database/gateways/orphans';
import { type Call, GOOD_SMS, startSharedApi } from './api-under-test.ts';
import { endedCallersOf, readTables } from './ended-callers-under-test.ts';

const t = await startSharedApi();
const { expectRefused, withSession } = endedCallersOf(t);

interface Ids {
  account: string;
  route: string;
  orphan: string;
  message: string;
}

const GATEWAY = { name: 'new', channel: 'sms', kind: 'simulator', enabled: false };
const NUMBERS = '/v1/sender-assignments';

/** Names of the calls of operators whose changes outlive them. */
const CALLS: [string, (ids: Ids) => Call][] = [
  ['creates a gateway', () => ({ path: '/v1/gateways', body: GATEWAY })],
  [
    'changes a gateway',
    () => ({ method: 'PATCH', path: '/v1/gateways/old', body: { ratePerSecond: 1, enabled: false } }),
  ],
  ['deletes a gateway', () => ({ method: 'DELETE', path: '/v1/gateways/old' })],
  ['revokes the rule of ids', () => ({ method: 'DELETE', path: '/v1/gateways/old/id-rule' })],
  ['creates a route', () => ({ path: '/v1/routes', body: { name: 'new', targets: [{ gateway: 'old' }] } })],
  [
    'changes a route',
    ({ route }) => ({ method: 'PATCH', path: `/v1/routes/${route}`, body: { enabled: false } }),
  ],
  ['creates an account', () => ({ path: '/v1/accounts', body: { name: 'new' } })],
  [
    'changes an account',
    ({ account }) => ({ method: 'PATCH', path: `/v1/accounts/${account}`, body: { status: 'suspended' } }),
  ],
  ['pauses an account', ({ account }) => ({ path: `/v1/lanes/${account}/pause` })],
  [
    'assigns a number',
    ({ account }) => ({ path: NUMBERS, body: { msisdn: '15550300077', accountId: account } }),
  ],
  ['releases a number', () => ({ method: 'DELETE', path: `${NUMBERS}/15550300001` })],
  ['frees parked rows', () => ({ path: '/v1/parked/free', body: { kind: 'message' } })],
  [
    'discards parked rows',
    ({ message }) => ({
      path: '/v1/parked/discard',
      body: { kind: 'message', ids: [message], reason: 'Its key is lost.' },
    }),
  ],
  [
    'assigns an orphan',
    ({ orphan, message }) => ({
      method: 'PATCH',
      path: `/v1/orphan-reports/${orphan}`,
      body: { messageId: message },
    }),
  ],
  ['discards an orphan', ({ orphan }) => ({ method: 'DELETE', path: `/v1/orphan-reports/${orphan}` })],
  ['pauses a queue', () => ({ path: '/v1/queues/sms-promo/pause' })],
  ['resumes a queue', () => ({ path: '/v1/queues/sms-otp/resume' })],
  ['drains a queue', () => ({ path: '/v1/queues/sms-trans/drain', body: {} })],
  ['retries failed jobs', () => ({ path: '/v1/queues/sms-trans/retry', body: {} })],
  ['removes the jobs of a state', () => ({ path: '/v1/queues/sms-trans/clean', body: { state: 'waiting' } })],
];

test.each(CALLS)('a call that %s is refused once the session of its operator has ended', async (_, call) => {
  const [operator, ids] = [await withSession('Users', 'operator'), await setUp()];

  await expectRefused(operator, call(ids), stored);
});

/** The gateway `old` with a route and a rule, an assigned number, a parked message, an orphan, and a paused queue. */
async function setUp(): Promise<Ids> {
  await t.call({ path: '/v1/gateways', body: { ...GATEWAY, name: 'old' } });
  await t.call({ path: '/v1/routes', body: { name: 'old', targets: [{ gateway: 'old' }] } });
  await t.db.query(`INSERT INTO gateway_id_rule VALUES ('old', 'hex:8', 31, now()) ON CONFLICT DO NOTHING`);
  await t.call({ path: NUMBERS, body: { msisdn: '15550300001' } });
  await t.call({ path: '/v1/queues/sms-otp/pause' });
  const [ids] = (await t.db.query(
    `SELECT (SELECT id FROM account LIMIT 1) AS account, (SELECT id FROM route WHERE name = 'old') AS route`,
  )) as [{ account: string; route: string }];
  return { ...ids, message: await parkMessage(), orphan: await keepOrphan() };
}

async function parkMessage(): Promise<string> {
  const { id } = (await t.call({ body: GOOD_SMS })).body;
  await t.db.query(
    `INSERT INTO message (submission_id, n, account_id, lane, recipient, status, credits, starts, claimed_until, due_at)
     SELECT id, 1, account_id, lane, recipients[1], 'PENDING', 1, 10, now(), 'infinity' FROM submission WHERE id = $1`,
    [id],
  );
  return `${id}:1`;
}

async function keepOrphan(): Promise<string> {
  const id = randomUUIDv7();
  const report = {
    id,
    gateway: 'old',
    kind: 'report',
    gatewayMessageId: id,
    wakeId: id,
    recipient: GOOD_SMS.to,
    status: 'DELIVERED',
    errCode: '000',
    gatewayCode: '000',
    description: 'DELIVRD',
    content: null,
    reportedAt: new Date(),
  } as const;
  await insertOrphans(t.db, [report]);
  return id;
}

async function stored(): Promise<unknown> {
  const tables = [
    'account',
    'gateway',
    'gateway_id_rule',
    'route',
    'sender_assignment',
    'message',
    'message_event',
  ];
  const queues = await t.call<{ paused: boolean; waiting: number }[]>({ method: 'GET', path: '/v1/queues' });
  return {
    rows: await readTables(t, [...tables, 'orphan_report']),
    queues: queues.body.data.map(({ paused, waiting }) => [paused, waiting]),
  };
}
