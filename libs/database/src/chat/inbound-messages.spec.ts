import { randomUUIDv7 } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type TestRows, accept, openRows } from '@signalbox/test/rows';
import { findLastInbound } from './pairs.ts';
import { type NewInbound, insertInbounds } from './inbound-messages.ts';

const BUSINESS = '919811111111';
let rows: TestRows;
const [owner, other] = [randomUUIDv7(), randomUUIDv7()];

beforeAll(async () => {
  rows = await openRows();
  for (const [accountId, msisdn] of [
    [owner, BUSINESS],
    [other, '919822222222'],
  ]) {
    await rows.db.query(`INSERT INTO account (id, name) VALUES ($1, 'x')`, [accountId]);
    const [{ id }] = await rows.db.query(
      `INSERT INTO chat_account (account_id, name) VALUES ($1, 'x') RETURNING id`,
      [accountId],
    );
    await rows.db.query(`INSERT INTO chat_sender (msisdn, chat_account_id, account_id) VALUES ($1, $2, $3)`, [
      msisdn,
      id,
      accountId,
    ]);
  }
});
afterAll(async () => rows[Symbol.asyncDispose]());

let count = 0;
function inbound(given: Partial<NewInbound> = {}): NewInbound {
  count += 1;
  return {
    id: randomUUIDv7(),
    gateway: 'chat-simulator',
    gatewayMessageId: `in-${count}`,
    from: '919800000007',
    to: BUSINESS,
    kind: 'text',
    content: { text: { body: 'YES' } },
    replyTo: null,
    sentAt: new Date(),
    receivedAt: new Date(),
    consent: null,
    ...given,
  };
}

const storedIds = async (): Promise<string[]> =>
  ((await rows.db.query(`SELECT id FROM inbound_message ORDER BY id`)) as { id: string }[]).map(
    ({ id }) => id,
  );

test('a repeated inbound message is stored once, and one to an unowned number is not', async () => {
  const { db } = rows;
  const [message, again] = [inbound(), inbound()].map((m, i) => ({
    ...m,
    id: `019e6f0c-5a53-7d0c-8a4e-6f1f0a6d2b1${i}`,
    gatewayMessageId: 'once',
  }));
  const lost = inbound({ to: '919833333333' });
  const first = await insertInbounds(db, [again!, message!, lost]);
  expect(first).toEqual({ reportIds: [expect.any(String)], unowned: [lost.id] });
  expect(await insertInbounds(db, [again!])).toEqual({ reportIds: [], unowned: [] });
  expect(await storedIds()).toEqual([message!.id]);
  expect(await db.query(`SELECT id, submission_id, n, status FROM message_event`)).toEqual([
    { id: first.reportIds[0], submission_id: message!.id, n: 0, status: 'RECEIVED' },
  ]);
});

test('the last inbound time of a pair never moves back, and is never in the future', async () => {
  const { db } = rows;
  const from = '919800000050';
  const at = (minutesAgo: number): Date => new Date(Date.now() - minutesAgo * 60_000);
  const [old, recent] = [at(60), at(30)];
  await insertInbounds(db, [inbound({ from, sentAt: old }), inbound({ from, sentAt: recent })]);
  await insertInbounds(db, [inbound({ from, sentAt: old })]);
  expect(await findLastInbound(db, owner, BUSINESS, from)).toEqual(recent);
  await insertInbounds(db, [inbound({ from, sentAt: at(-600) })]);
  expect((await findLastInbound(db, owner, BUSINESS, from))!.getTime()).toBeLessThanOrEqual(Date.now());
  expect(await findLastInbound(db, other, BUSINESS, from)).toBeUndefined();
});

test('STOP opts the recipient out of its sender until a later START', async () => {
  const { db } = rows;
  const from = '919800000060';
  const optOuts = () =>
    db.query(`SELECT account_id, sender, source FROM opt_out WHERE recipient = $1`, [from]);
  const at = (secondsAgo: number): Date => new Date(Date.now() - secondsAgo * 1_000);

  await insertInbounds(db, [
    inbound({ from, consent: 'stop', sentAt: at(10) }),
    inbound({ from, consent: 'start', sentAt: at(20) }),
  ]);
  await insertInbounds(db, [inbound({ from, consent: 'start', sentAt: at(15) })]);
  expect(await optOuts()).toEqual([{ account_id: owner, sender: BUSINESS, source: 'inbound' }]);
  await insertInbounds(db, [inbound({ from, to: '919822222222', consent: 'start' })]);
  expect(await optOuts()).toHaveLength(1);
  await insertInbounds(db, [inbound({ from, consent: 'start' })]);
  expect(await optOuts()).toEqual([]);
});

test('a reply names its message only if this account sent that to the writer', async () => {
  const { db } = rows;
  const from = '919800000070';
  const answered = async (accountId: string, recipient: string): Promise<unknown> => {
    const { id } = await accept(db, { accountId, recipients: [recipient] });
    const message = inbound({ from, replyTo: { submissionId: id, n: 1 } });
    await insertInbounds(db, [message]);
    const [row] = await db.query(
      `SELECT reply_to_submission_id = $2 AS named, reply_to_n AS n FROM inbound_message WHERE id = $1`,
      [message.id, id],
    );
    return row;
  };
  expect(await answered(owner, from)).toEqual({ named: true, n: 1 });
  expect(await answered(other, from)).toEqual({ named: null, n: null });
  expect(await answered(owner, '919800000071')).toEqual({ named: null, n: null });
});
