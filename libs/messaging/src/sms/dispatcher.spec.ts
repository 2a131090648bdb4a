import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { noteHeartbeat } from '@signalbox/database/core/settling';
import { fanOut, insertSubmissions } from '@signalbox/database/submissions/submissions';
import { FAN_OUT_CHUNK, LEASE_SECONDS } from '@signalbox/domain/limits';
import type { GatewayReport } from '@signalbox/domain/routing/submit-outcome';
import { submissionRow } from '@signalbox/domain/sealed-rows';
import { REPORT_QUEUES, SMS_QUEUES } from '@signalbox/queues/definitions';
import { Sealer } from '@signalbox/runtime/seal';
import { noteSteadyHeartbeats } from '@signalbox/test/heartbeats';
import { untilOneWaits } from '@signalbox/test/locks';
import { letTimePass, quietNow, takeRound } from '@signalbox/test/rounds';
import { accept, newSubmission } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { ACCEPTED, type Answer, FakeSmsGateway, openSms, routeTo } from '../../test/open-sms.ts';

test('a job that runs twice submits each message once', async () => {
  await using t = await openSms();
  const { id } = await accept(t.db, { recipients: ['919800000001', '919800000002'] });

  await t.dispatcher.dispatch('TRANS', [id]);
  await t.dispatcher.dispatch('TRANS', [id]);

  expect(t.gateway.submitted.map((message) => message.messageId)).toEqual([`${id}:1`, `${id}:2`]);
});

test('a message of a dead worker is submitted again under its id once its lease has ended', async () => {
  await using t = await openSms();
  const { id } = await accept(t.db);
  await fanOut(t.db, [id], LEASE_SECONDS); // by a worker that died

  await t.dispatcher.dispatch('TRANS', [id]);
  expect(t.gateway.submitted).toEqual([]);

  await t.db.query('UPDATE message SET claimed_until = now()');
  await t.dispatcher.dispatch('TRANS', [id]);
  expect(t.gateway.submitted).toMatchObject([{ messageId: `${id}:1`, attempt: 2 }]);
});

test.each(['retry', 'dispatch'] as const)(
  'a %s after an outage leaves messages to a later job',
  async (kind) => {
    await using t = await openSms();
    const { id } = await accept(t.db);
    await fanOut(t.db, [id], LEASE_SECONDS); // by a worker that records its outcome after the outage
    await t.db.query('UPDATE message SET claimed_until = now()');

    noteHeartbeat(t.db, new Date(), performance.now() - 20_000);
    await t.dispatcher[kind]('TRANS', [id]);
    noteHeartbeat(t.db, new Date(), performance.now() + 60_000); // on a busy machine, five seconds may pass
    await t.dispatcher[kind]('TRANS', [id]);

    expect(t.gateway.submitted).toEqual([]);
    const job = { queue: SMS_QUEUES.TRANS.name, ids: [id], extra: { isRetry: true } };
    expect(t.jobs).toEqual([
      { ...job, delayMs: 5_000 },
      { ...job, delayMs: expect.any(Number) },
    ]);
    expect(t.jobs[1]?.delayMs).toBeGreaterThan(0);
  },
);

test('a message is submitted again once the database has answered for five seconds', async () => {
  await using t = await openSms();
  const { id } = await accept(t.db);
  await fanOut(t.db, [id], LEASE_SECONDS); // by a worker that died
  await t.db.query('UPDATE message SET claimed_until = now()');

  await noteSteadyHeartbeats(t.db);
  await t.dispatcher.retry('TRANS', [id]);

  expect(t.gateway.submitted).toMatchObject([{ messageId: `${id}:1`, attempt: 2 }]);
});

test('a retry that waited for the end of an outage leaves messages to a later job', async () => {
  await using t = await openSms();
  const { id } = await accept(t.db);
  await fanOut(t.db, [id], LEASE_SECONDS); // by a worker that records its outcome after the outage
  await t.db.query('UPDATE message SET claimed_until = now()');
  await noteSteadyHeartbeats(t.db, { lateByMs: 60_000 });

  const retrying = await t.db.transaction(async (blocker) => {
    await blocker.query('LOCK TABLE submit_batch IN ACCESS EXCLUSIVE MODE');
    const running = t.dispatcher.retry('TRANS', [id]);
    await untilOneWaits(t.db);
    noteHeartbeat(t.db, new Date(), performance.now() + 60_000);
    return { running };
  });
  await retrying.running;

  expect(t.gateway.submitted).toEqual([]);
  expect(t.jobs).toMatchObject([{ queue: SMS_QUEUES.TRANS.name, ids: [id], extra: { isRetry: true } }]);
});

test('a throttled message stays pending and is enqueued with the delay of the gateway', async () => {
  await using t = await openSms({ result: 'throttled', scope: 'message', retryAfterMs: 700 });
  const { id } = await accept(t.db);

  await t.dispatcher.dispatch('TRANS', [id]);

  expect(await t.statuses()).toEqual(['PENDING']);
  expect(t.jobs).toEqual([
    { queue: SMS_QUEUES.TRANS.name, ids: [id], extra: { isRetry: true }, delayMs: 700 },
  ]);
});

test('a retry of more submissions than one claim takes enqueues the others once', async () => {
  await using t = await openSms();
  const submissions = Array.from({ length: FAN_OUT_CHUNK + 5 }, () => newSubmission());
  await insertSubmissions(t.db, submissions);
  const ids = submissions.map(({ id }) => id);
  await fanOut(t.db, ids, 0); // by a worker that died

  await t.dispatcher.retry('TRANS', ids);

  expect(t.gateway.submitted).toHaveLength(FAN_OUT_CHUNK);
  expect(t.jobs).toMatchObject([{ ids: ids.slice(FAN_OUT_CHUNK), extra: { isRetry: true } }]);
});

test('a rejected message is reported failed, and the report is enqueued', async () => {
  await using t = await openSms({ result: 'rejected', errCode: '021', description: 'Sender not allowed' });
  const { id } = await accept(t.db);

  await t.dispatcher.dispatch('TRANS', [id]);

  expect(await t.statuses()).toEqual(['SENT']);
  expect(
    await t.db.query('SELECT submission_id, n, status, err_code, description FROM message_event'),
  ).toEqual([
    { submission_id: id, n: 1, status: 'FAILED', err_code: '021', description: 'Sender not allowed' },
  ]);
  expect(t.idsOf(REPORT_QUEUES.OTHER)).toHaveLength(1);
});

test('an unconfirmed message is recorded as sent and never submitted twice', async () => {
  await using t = await openSms({ result: 'unconfirmed' });
  const { id } = await accept(t.db);
  await t.dispatcher.dispatch('TRANS', [id]);
  await t.db.query('UPDATE message SET claimed_until = now()');

  await t.dispatcher.dispatch('TRANS', [id]);

  expect(await t.statuses()).toEqual(['SENT']);
  expect(t.gateway.submitted).toHaveLength(1);
});

test('the next chunk of a large bulk is enqueued', async () => {
  await using t = await openSms();
  const recipients = Array.from({ length: FAN_OUT_CHUNK + 1 }, (_, i) => String(919800000000 + i));
  const { id } = await accept(t.db, { recipients });

  await t.dispatcher.dispatch('PROMO', [id]);
  expect(t.gateway.submitted).toHaveLength(FAN_OUT_CHUNK);
  expect(t.jobs).toMatchObject([{ queue: SMS_QUEUES.PROMO.name, ids: [id], extra: { isChunk: true } }]);

  await t.dispatcher.dispatch('PROMO', [id]);
  expect(t.gateway.submitted.map((message) => message.recipient)).toEqual(recipients);
});

test('a round whose held messages cannot be claimed leaves its other messages to the next round', async () => {
  await using t = await openSms();
  const held = await accept(t.db);
  await takeRound(t.db, { quiet: quietNow('91') });
  await letTimePass(t.db);
  const other = await accept(t.db);
  await t.db.query(
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$`,
  );
  await t.db.query('CREATE TRIGGER refuse BEFORE UPDATE ON message FOR EACH ROW EXECUTE FUNCTION refuse()');
  await expect(t.dispatcher.dispatchRound('TRANS', null)).rejects.toThrow('refused');
  await t.db.query('DROP TRIGGER refuse ON message');

  await t.dispatcher.dispatchRound('TRANS', null);

  expect(t.gateway.submitted.map(({ messageId }) => messageId).toSorted()).toEqual([
    `${held.id}:1`,
    `${other.id}:1`,
  ]);
});

test('a sealed text reaches the gateway and is then wiped', async () => {
  await using t = await openSms();
  const row = { id: randomUUIDv7(), accountId: randomUUIDv7() };
  const { id } = await accept(t.db, {
    ...row,
    lane: 'OTP',
    content: { unicode: false, flash: false },
    sealed: t.sealer.seal('Code 482913', submissionRow(row.accountId, row.id)),
  });

  await t.dispatcher.dispatch('OTP', [id]);

  expect(t.gateway.submitted[0]?.text).toBe('Code 482913');
  expect(await t.db.query('SELECT sealed FROM submission')).toEqual([{ sealed: null }]);
});

test('a text sealed with another key does not block its batch', async () => {
  await using t = await openSms();
  const row = { id: randomUUIDv7(), accountId: randomUUIDv7() };
  const foreign = new Sealer(randomBytes(32).toString('base64')).seal(
    'Code 482913',
    submissionRow(row.accountId, row.id),
  );
  const unreadable = await accept(t.db, {
    ...row,
    lane: 'OTP',
    content: { unicode: false, flash: false },
    sealed: foreign,
  });
  const { id } = await accept(t.db, { lane: 'OTP' });

  expect(await t.dispatcher.dispatch('OTP', [unreadable.id, id])).toMatchObject({
    claimed: 2,
    unreadable: 1,
  });
  expect(t.gateway.submitted.map((message) => message.messageId)).toEqual([`${id}:1`]);
});

test('a damaged text or an invalid content does not block its batch', async () => {
  await using t = await openSms();
  const row = { id: randomUUIDv7(), accountId: randomUUIDv7() };
  const damaged = t.sealer.seal('Code 482913', submissionRow(row.accountId, row.id));
  damaged[damaged.length - 1]! ^= 1;
  const content = { unicode: false, flash: false };
  const bad = await accept(t.db, { ...row, lane: 'OTP', content, sealed: damaged });
  const broken = await acceptBroken(t.db);
  const { id } = await accept(t.db, { lane: 'OTP' });

  const dispatched = await t.dispatcher.dispatch('OTP', [bad.id, ...broken, id]);

  expect(dispatched).toMatchObject({ submitted: 1, unreadable: broken.length + 1 });
  expect(t.gateway.submitted.map((message) => message.messageId)).toEqual([`${id}:1`]);
  expect(t.lines.filter(({ event }) => event === 'message.unreadable')).toMatchObject([
    { reason: 'sealed_value_damaged', submissions: 1, submissionIds: [bad.id] },
    { reason: 'content_invalid', submissions: broken.length },
  ]);
});

test('a text sealed for another submission is not sent', async () => {
  await using t = await openSms();
  const content = { unicode: false, flash: false };
  const [mine, other] = [randomUUIDv7(), randomUUIDv7()];
  const accountId = randomUUIDv7();
  const sealed = t.sealer.seal('Code 482913', submissionRow(accountId, other));
  await accept(t.db, { id: mine, accountId, lane: 'OTP', content, sealed });

  expect(await t.dispatcher.dispatch('OTP', [mine])).toMatchObject({ submitted: 0, unreadable: 1 });
  expect(t.lines).toMatchObject([{ event: 'message.unreadable', reason: 'sealed_value_damaged' }]);
});

test('a recipient without values does not block the others of its bulk', async () => {
  await using t = await openSms();
  const { id } = await accept(t.db, {
    content: { pieces: ['Hello ', { value: 1 }], unicode: false, flash: false },
    recipients: ['919800000001', '919800000002', '919800000004'],
    custom: [['Ann'], [], ['Bob']],
  });

  expect(await t.dispatcher.dispatch('TRANS', [id])).toMatchObject({ submitted: 2, unreadable: 1 });
  expect(t.gateway.submitted.map(({ text }) => text)).toEqual(['Hello Ann', 'Hello Bob']);
});

test('a report is stored without the characters that Postgres refuses', async () => {
  await using t = await openSms();
  const report = (description: string, reportedAt: Date): GatewayReport => ({
    messageId: '0192f0c4-8c9a-7d3e-9b1c-2f6a5d7e8c90:1',
    status: 'DELIVERED',
    errCode: '000',
    description,
    reportedAt,
  });

  await t.intake.receive('fake', [report('a\u0000b\ud800', new Date()), report('fine', new Date('x'))]);

  expect(await t.db.query('SELECT description FROM message_event ORDER BY description')).toEqual([
    { description: 'ab\ufffd' },
    { description: 'fine' },
  ]);
});

test.each([
  ['an id that Postgres refuses', { result: 'accepted', gatewayMessageIds: ['a\u0000b\ud800'] }],
  ['an id without end', { result: 'accepted', gatewayMessageIds: ['x'.repeat(5_000_000)] }],
  ['an id that is no text', { result: 'accepted', gatewayMessageIds: [{ id: 5 }] }],
  ['a fraction as delay', { result: 'throttled', retryAfterMs: 1.5 }],
  ['no number as delay', { result: 'throttled', retryAfterMs: Number.NaN }],
  ['a delay beyond every column', { result: 'throttled', retryAfterMs: 2 ** 40 }],
  ['a delay in the past', { result: 'throttled', retryAfterMs: -5 }],
  ['a rejection without texts', { result: 'rejected' }],
] as [string, Answer][])('%s does not keep a batch from being recorded', async (_name, answer) => {
  await using t = await openSms(answer, new FakeSmsGateway(ACCEPTED, 'second'));
  const { id } = await accept(t.db, { recipients: ['919800000001', '919800000002'] });

  await t.dispatch('TRANS', [id]);

  expect(t.gateway.submitted).toHaveLength(2);
  const [{ starts, ...first }] = await t.db.query(
    `SELECT starts, status, length(gateway_message_id) < 5000 AS short FROM message WHERE n = 1`,
  );
  expect([starts, first.status]).toEqual(answer.result === 'throttled' ? [0, 'PENDING'] : [1, 'SENT']);
  expect(first.short).not.toBe(false);
});

test('a report that the database refuses does not keep the others from being stored', async () => {
  await using t = await openSms();
  const report = (status: string): GatewayReport => ({
    messageId: '0192f0c4-8c9a-7d3e-9b1c-2f6a5d7e8c90:1',
    status: status as 'DELIVERED',
    errCode: '000',
    description: '',
    reportedAt: '2026-01-01T00:00:00Z' as unknown as Date,
  });

  await t.intake.receive('fake', [report('DELIVERED'), report('LOST'), report('FAILED')]);

  expect(await t.db.query('SELECT status FROM message_event ORDER BY status')).toEqual([
    { status: 'DELIVERED' },
    { status: 'FAILED' },
  ]);
  expect(t.lines).toMatchObject([{ event: 'report.refused' }]);
});

test('the messages of a batch are submitted to and recorded under the gateway chosen for each', async () => {
  const second = new FakeSmsGateway(ACCEPTED, 'second');
  await using t = await openSms(ACCEPTED, second);
  t.router.followRoutes([routeTo(['fake'], { match: { prefixes: ['919800000001'] } }), routeTo(['second'])]);
  const { id } = await accept(t.db, { recipients: ['919800000001', '919800000002', '919800000004'] });

  await t.dispatch('TRANS', [id]);

  expect(t.gateway.submitted.map(({ messageId }) => messageId)).toEqual([`${id}:1`]);
  expect(second.submitted.map(({ messageId }) => messageId)).toEqual([`${id}:2`, `${id}:3`]);
  expect(await t.db.query('SELECT n, gateway FROM message ORDER BY n')).toEqual([
    { n: 1, gateway: 'fake' },
    { n: 2, gateway: 'second' },
    { n: 3, gateway: 'second' },
  ]);
});

test('messages of a gateway that fails are unconfirmed, and those of another are recorded', async () => {
  const second = new FakeSmsGateway(ACCEPTED, 'second');
  await using t = await openSms(ACCEPTED, second);
  t.router.followRoutes([routeTo(['fake'], { match: { prefixes: ['919800000001'] } }), routeTo(['second'])]);
  const { id } = await accept(t.db, { recipients: ['919800000001', '919800000002'] });
  t.gateway.fails = true;

  await t.dispatch('TRANS', [id]);

  expect(
    await t.db.query('SELECT status, unconfirmed_at IS NOT NULL AS unconfirmed FROM message ORDER BY n'),
  ).toEqual([
    { status: 'SENT', unconfirmed: true },
    { status: 'SENT', unconfirmed: false },
  ]);
  expect(t.lines).toContainEqual(expect.objectContaining({ event: 'submit.failed', gateway: 'fake' }));
});

/** Stores submissions whose content cannot be rendered. @returns their ids */
async function acceptBroken(db: EntityManager): Promise<string[]> {
  const contents = [
    null,
    5,
    {},
    { text: 5 },
    { pieces: { value: 1 } },
    { pieces: [null] },
    { pieces: [{ value: 1 }] },
    { pieces: [{ link: 1 }] },
    { pieces: [{ link: 99_999 }], links: { base: '', targets: ['https://example.com'] } },
  ];
  const ids: string[] = [];
  for (const content of contents) {
    const { id } = await accept(db, { lane: 'OTP' });
    await db.query('UPDATE submission SET content = $1::jsonb WHERE id = $2', [JSON.stringify(content), id]);
    ids.push(id);
  }
  return ids;
}
