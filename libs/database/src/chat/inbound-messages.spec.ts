import { randomUUIDv7 } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { accept, addSender, newInbound } from '@signalbox/test/rows';
import { deleteOptOut, upsertOptOuts } from '../accounts/opt-outs.ts';
import { findLastInbound } from './pairs.ts';
import { type NewInbound, applyConsentChanges, insertInbounds } from './inbound-messages.ts';

const BUSINESS = '919811111111';
const [owner, other] = [randomUUIDv7(), randomUUIDv7()];

const rows = await openSharedRows();

beforeAll(async () => {
  await addSender(rows.db, owner, BUSINESS);
  await addSender(rows.db, other, '919822222222');
});

const inbound = (given: Partial<NewInbound> = {}): NewInbound =>
  newInbound({ from: '919800000007', to: BUSINESS, ...given });

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

test('a notice of the provider opens no session', async () => {
  const { db } = rows;
  const from = '919800000051';
  await insertInbounds(db, [inbound({ from, kind: 'system', content: { system: {} } })]);
  expect(await findLastInbound(db, owner, BUSINESS, from)).toBeUndefined();
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

test('a second STOP counts against a START that was written between them and comes last', async () => {
  const { db } = rows;
  const from = '919800000061';
  for (const [consent, secondsAgo] of [
    ['stop', 30],
    ['stop', 10],
    ['start', 20],
  ] as const)
    await insertInbounds(db, [inbound({ from, consent, sentAt: new Date(Date.now() - secondsAgo * 1_000) })]);

  expect(await db.query(`SELECT source FROM opt_out WHERE recipient = $1`, [from])).toEqual([
    { source: 'inbound' },
  ]);
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

test('a reply that names the id of a provider finds the message that was sent to its writer', async () => {
  const { db } = rows;
  const [from, stranger] = ['919800000072', '919800000073'];
  const { id } = await accept(db, { accountId: owner, recipients: [from] });
  await db.query(
    `INSERT INTO message (submission_id, n, account_id, recipient, status, credits, claimed_until, gateway,
                          gateway_message_id)
     VALUES ($1, 1, $2, $3, 'SENT', 1, now(), 'chat-simulator', 'wamid.1')`,
    [id, owner, from],
  );
  const answeredBy = async (writer: string, replyToGatewayId: string): Promise<unknown> => {
    const message = inbound({ from: writer, replyToGatewayId });
    await insertInbounds(db, [message]);
    const [row] = await db.query(
      `SELECT reply_to_submission_id AS id, reply_to_n AS n FROM inbound_message WHERE id = $1`,
      [message.id],
    );
    return row;
  };
  expect(await answeredBy(from, 'wamid.1')).toEqual({ id, n: 1 });
  expect(await answeredBy(from, 'wamid.2')).toEqual({ id: null, n: null });
  expect(await answeredBy(stranger, 'wamid.1')).toEqual({ id: null, n: null });
});

const minutesAgo = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);
const optedOut = async (...recipients: string[]): Promise<string[]> => {
  const found: { recipient: string }[] = await rows.db.query(
    `SELECT recipient FROM opt_out WHERE account_id = $1 AND recipient = ANY($2) ORDER BY recipient`,
    [owner, recipients],
  );
  return found.map(({ recipient }) => recipient);
};

test('an opt-out follows when a number and a user id turn out to be one person', async () => {
  const { db } = rows;
  const [number, userId] = ['919800000081', 'IN.follow1'];
  const [lateNumber, lateUserId] = ['919800000082', 'IN.follow2'];
  await insertInbounds(db, [
    inbound({ from: number, consent: 'stop', sentAt: minutesAgo(5) }),
    inbound({ from: lateUserId, userId: lateUserId, consent: 'stop', sentAt: minutesAgo(5) }),
  ]);
  expect(await optedOut(number, userId, lateNumber, lateUserId)).toEqual([number, lateUserId]);

  await insertInbounds(db, [
    inbound({ from: number, userId, sentAt: minutesAgo(4) }),
    inbound({ from: lateNumber, userId: lateUserId, sentAt: minutesAgo(4) }),
  ]);

  expect(await optedOut(number, userId)).toEqual([number, userId]);
  expect(await optedOut(lateNumber, lateUserId)).toEqual([lateNumber, lateUserId]);
});

test('an opt-out follows to the user id that replaces another one, until a START ends all', async () => {
  const { db } = rows;
  const number = '919800000083';
  const ids = ['IN.old3', 'IN.new3'];
  await insertInbounds(db, [
    inbound({ from: number, userId: ids[0]!, consent: 'stop', sentAt: minutesAgo(5) }),
  ]);

  await insertInbounds(db, [inbound({ from: number, userId: ids[1]!, sentAt: minutesAgo(4) })]);
  expect(await optedOut(number, ...ids)).toEqual([number, ids[1]!, ids[0]!]);

  await insertInbounds(db, [
    inbound({ from: number, userId: ids[1]!, consent: 'start', sentAt: minutesAgo(3) }),
  ]);
  expect(await optedOut(number, ...ids)).toEqual([]);
});

test('a person who is opted out may say STOP again under a new user id', async () => {
  const { db } = rows;
  const [number, userId] = ['919800000086', 'IN.again'];
  await insertInbounds(db, [inbound({ from: number, consent: 'stop', sentAt: minutesAgo(5) })]);

  await insertInbounds(db, [inbound({ from: number, userId, consent: 'stop', sentAt: minutesAgo(4) })]);

  expect(await optedOut(number, userId)).toEqual([number, userId]);
});

test('a refusal stated to the provider, and its deletion, count for every identity', async () => {
  const { db } = rows;
  const [number, userId] = ['919800000084', 'IN.refuses'];
  await insertInbounds(db, [inbound({ from: number, userId })]);

  await applyConsentChanges(db, [
    { recipient: number, sender: BUSINESS, consent: 'stop', at: minutesAgo(1) },
  ]);
  expect(await optedOut(number, userId)).toEqual([number, userId]);

  const [{ id }] = await db.query(`SELECT id FROM opt_out WHERE recipient = $1`, [userId]);
  expect(await deleteOptOut(db, owner, id)).toBe(true);
  expect(await optedOut(number, userId)).toEqual([]);
});

test('an opt-out that the account adds counts for every identity', async () => {
  const { db } = rows;
  const [number, userId] = ['919800000085', 'IN.added'];
  await insertInbounds(db, [inbound({ from: number, userId })]);
  const id = randomUUIDv7();
  const added = { id, recipient: number, sender: '', source: 'api', reason: null, createdAt: new Date() };

  await upsertOptOuts(db, owner, [added]);

  expect(await optedOut(number, userId)).toEqual([number, userId]);
  expect(await db.query(`SELECT recipient FROM opt_out WHERE id = $1`, [id])).toEqual([
    { recipient: number },
  ]);
});
