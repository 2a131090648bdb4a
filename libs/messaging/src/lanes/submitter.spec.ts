import { randomUUIDv7 } from 'node:crypto';
import { afterEach, expect, jest, test } from '@jest/globals';
import { insertSubmitBatch } from '@signalbox/database/gateways/submit-batches';
import { accept } from '@signalbox/test/rows';
import { openSms } from '../../test/open-sms.ts';

afterEach(() => void jest.useRealTimers());

const EXPIRE = `UPDATE message SET claimed_until = now() - interval '1 second'`;

test('a claim is renewed while its gateway is busy, so that nobody submits it again', async () => {
  await using t = await setup();
  await t.db.query(EXPIRE);

  await t.leases.renew(Infinity);

  expect(await t.dispatcher.retry('TRANS', [t.id])).toMatchObject({ claimed: 0 });
  t.answer();
  await t.submitting;
  expect(t.gateway.submitted).toHaveLength(1);
  expect(await t.statuses()).toEqual(['SENT']);
});

test('a claim that another worker has taken is not renewed', async () => {
  await using t = await setup();
  await t.db.query(`UPDATE message SET starts = starts + 1, claimed_until = '2000-01-01Z'`);

  await t.leases.renew(Infinity);

  expect(await t.db.query('SELECT claimed_until AS until FROM message')).toEqual([
    { until: new Date('2000-01-01Z') },
  ]);
  t.answer();
  await t.submitting;
});

test('a batch that has ended, or began just now, is not renewed', async () => {
  await using t = await setup();
  await t.db.query(`UPDATE message SET claimed_until = '2000-01-01Z'`);

  await t.leases.renew();
  t.answer();
  await t.submitting;
  await t.leases.renew(Infinity);

  expect(await t.db.query('SELECT claimed_until AS until FROM message')).toEqual([
    { until: new Date('2000-01-01Z') },
  ]);
});

test('messages that a gateway does not answer in time are unconfirmed', async () => {
  await using t = await setup();

  const { outcomes } = await t.submitter.submit(
    'TRANS',
    { gateway: t.gateway, messages: [...t.gateway.submitted] },
    undefined,
    { deadlineMs: 10 },
  );

  expect(outcomes).toEqual([{ messageId: `${t.id}:1`, result: 'unconfirmed' }]);
  expect(await t.statuses()).toEqual(['SENT']);
  expect(t.lines).toMatchObject([{ event: 'submit.timed_out', gateway: 'fake', count: 1 }]);
  t.answer();
  await t.submitting;
});

test('a shutdown aborts submits after 8 s, and their outcomes are recorded', async () => {
  await using t = await setup();
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick', 'performance', 'Date'] });

  t.submitter.onModuleDestroy();
  jest.advanceTimersByTime(8_000);
  jest.advanceTimersByTime(500);
  jest.useRealTimers();
  await t.submitting;

  expect(await t.statuses()).toEqual(['SENT']);
  expect(t.lines).toMatchObject([{ event: 'submit.timed_out', gateway: 'fake', count: 1 }]);
});

test('8 s after a shutdown began, messages are left to other workers', async () => {
  await using t = await setup();
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick', 'Date'] });

  t.submitter.onModuleDestroy();
  jest.advanceTimersByTime(8_000);
  const batch = { gateway: t.gateway, messages: [...t.gateway.submitted] };
  const { outcomes } = await t.submitter.submit('TRANS', batch);
  jest.useRealTimers();

  expect(outcomes).toMatchObject([{ result: 'throttled', scope: 'message' }]);
  expect(t.gateway.submitted).toHaveLength(1);
  t.answer();
  await t.submitting;
});

test('outcomes that the database does not take now are recorded later, without another submit', async () => {
  await using t = await setup();
  const lock = t.db.connection.createQueryRunner();
  await lock.startTransaction();
  await lock.query('SELECT FROM message FOR UPDATE');

  t.answer();
  await t.untilLogged('submit.unrecorded'); // the wait for the lock has its limit
  await lock.rollbackTransaction();
  await lock.release();
  await t.submitting;

  expect(t.gateway.submitted).toHaveLength(1);
  expect(await t.statuses()).toEqual(['SENT']);
});

test('the row of a batch that the database does not delete now is deleted later', async () => {
  await using t = await setup();
  const noted = { id: randomUUIDv7(), notedAt: performance.now() };
  await insertSubmitBatch(t.db, { id: noted.id, gateway: 'fake', lane: 'TRANS' }, [], performance.now());
  await t.db.query(
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
     $$ BEGIN RAISE 'shutting down' USING ERRCODE = '57P01'; END $$`,
  );
  await t.db.query('CREATE TRIGGER refuse BEFORE DELETE ON submit_batch EXECUTE FUNCTION refuse()');
  t.answer();
  await t.submitting;

  const batch = { gateway: t.gateway, messages: [...t.gateway.submitted] };
  const submitting = t.submitter.submit('TRANS', batch, undefined, { noted });
  await t.untilLogged('submit.unrecorded');
  expect(t.leases.batchIds).toEqual([noted.id]);
  await t.db.query('DROP TRIGGER refuse ON submit_batch');
  await submitting;

  expect(await t.db.query('SELECT FROM submit_batch')).toEqual([]);
});

/** A message whose gateway answers when `answer` is called. */
async function setup() {
  const t = await openSms();
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  t.gateway.busy = promise;
  const { id } = await accept(t.db);
  const submitting = t.dispatcher.dispatch('TRANS', [id]);
  const until = async (isTrue: () => boolean): Promise<void> => {
    while (!isTrue()) await new Promise(setImmediate);
  };
  await until(() => t.gateway.submitted.length === 1);
  const untilLogged = (event: string) => until(() => t.lines.some((line) => line.event === event));
  return { ...t, id, answer, submitting, untilLogged };
}
