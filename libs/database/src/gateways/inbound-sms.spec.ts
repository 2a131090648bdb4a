import { randomUUIDv7 } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { accept } from '@signalbox/test/rows';
import { assignSender } from '../chat/assignments.ts';
import { type NewInboundSms, insertGatewayOptOuts, insertInboundSms } from './inbound-sms.ts';
import { insertRoute } from './routes.ts';

const ASSIGNED = '15550100001';
const [owner, other] = [randomUUIDv7(), randomUUIDv7()];
const rows = await openSharedRows();

beforeAll(async () => {
  for (const id of [owner, other])
    await rows.db.query(`INSERT INTO account (id, name) VALUES ($1, 'x')`, [id]);
  await assignSender(rows.db, owner, ASSIGNED);
});

let count = 0;
function inbound(given: Partial<NewInboundSms> = {}): NewInboundSms {
  count += 1;
  return {
    id: randomUUIDv7(),
    gateway: 'smsc-1',
    gatewayMessageId: `in-${count}`,
    from: '919800000007',
    to: ASSIGNED,
    text: 'YES',
    sentAt: new Date(),
    receivedAt: new Date(),
    consent: null,
    ...given,
  };
}

const addRoute = (match: object, gateway = 'smsc-1', priority = 1) =>
  insertRoute(rows.db, {
    id: randomUUIDv7(),
    priority,
    match,
    targets: [{ gateway, weight: 1, cost: null }],
    fallbacks: ['smsc-9'],
    policy: { failoverAfterMs: 1, resendUnconfirmed: false },
  });
const accountOf = async (id: string): Promise<string | undefined> =>
  (await rows.db.query(`SELECT account_id AS id FROM inbound_message WHERE id = $1`, [id]))[0]?.id;
const optOuts = (from: string): Promise<object[]> =>
  rows.db.query(`SELECT account_id AS account, sender, source FROM opt_out WHERE recipient = $1`, [from]);

test('an SMS belongs to the account of its number, once, with one event', async () => {
  const message = inbound();
  const first = await insertInboundSms(rows.db, [message, { ...message, id: randomUUIDv7() }]);
  expect(first).toEqual({ reportIds: [expect.any(String)], unowned: [] });

  expect(await insertInboundSms(rows.db, [{ ...message, id: randomUUIDv7() }])).toEqual({
    reportIds: [],
    unowned: [],
  });

  const stored = await rows.db.query(
    `SELECT account_id AS account, chat_account_id AS chat, content FROM inbound_message WHERE sender = $1`,
    [message.from],
  );
  expect(stored).toEqual([{ account: owner, chat: null, content: { text: { body: 'YES' } } }]);
});

test('a number of nobody belongs to the only account that a route through its gateway serves', async () => {
  const [lost, shared, routed, named, fallback, elsewhere] = Array.from({ length: 6 }, () =>
    inbound({ to: '56789' }),
  );
  expect(await insertInboundSms(rows.db, [lost!])).toEqual({ reportIds: [], unowned: [lost!.id] });

  await addRoute({});
  await addRoute({ accounts: [owner, other] });
  await addRoute({ accounts: [randomUUIDv7()] });
  await addRoute({ accounts: [owner], senders: ['11111'] });
  expect((await insertInboundSms(rows.db, [shared!])).unowned).toEqual([shared!.id]);

  await addRoute({ accounts: [owner] }, 'smsc-1', 5);
  await insertInboundSms(rows.db, [routed!]);
  await addRoute({ accounts: [other], senders: ['56789'] }, 'smsc-1', 9);
  await insertInboundSms(rows.db, [
    named!,
    { ...fallback!, gateway: 'smsc-9' },
    { ...elsewhere!, gateway: 'smsc-2' },
  ]);

  expect(await accountOf(routed!.id)).toBe(owner);
  expect(await accountOf(named!.id)).toBe(other);
  expect(await accountOf(fallback!.id)).toBe(other);
  expect(await accountOf(elsewhere!.id)).toBeUndefined();
});

test('STOP opts the writer out of the number, and START in again', async () => {
  const from = '919800000008';
  await insertInboundSms(rows.db, [inbound({ from, consent: 'stop' })]);
  expect(await optOuts(from)).toEqual([{ account: owner, sender: ASSIGNED, source: 'inbound' }]);

  await insertInboundSms(rows.db, [
    inbound({ from, consent: 'start', sentAt: new Date(Date.now() + 1_000) }),
  ]);

  expect(await optOuts(from)).toEqual([]);
});

test("a gateway's own opt-out is added once, for the sender of the message", async () => {
  const recipients = ['919800000009', '919800000010'];
  const { id } = await accept(rows.db, { accountId: owner, recipients, sender: 'SHOP' });
  const at = new Date();

  for (let i = 0; i < 2; i += 1)
    await insertGatewayOptOuts(rows.db, [
      { submissionId: id, n: 2, at },
      { submissionId: id, n: 2, at },
      { submissionId: id, n: 9, at },
      { submissionId: randomUUIDv7(), n: 1, at },
    ]);

  expect(await optOuts(recipients[1]!)).toEqual([{ account: owner, sender: 'SHOP', source: 'gateway' }]);
  expect(await optOuts(recipients[0]!)).toEqual([]);
});
