import { expect, test } from '@jest/globals';
import { A_QUEUE, describeOnEachQueue } from '../support/queue.ts';
import { startReceiver } from '../support/receiver.ts';
import { type PipelineOptions, startPipeline } from '../support/pipeline.ts';

/** Milliseconds until a scheduled message is due: the API must have accepted it by then, on a slow machine too. */
const AHEAD_MS = 5_000;

const SMS = { sender: 'SIGNALBX', to: '919800000100', text: 'Hello', type: 'TRANS' };

describeOnEachQueue((queue) => {
  test('a scheduled message is sent soon after its time, and not before', async () => {
    await using t = await setup({ queue });
    const sendAt = new Date(Date.now() + AHEAD_MS);

    const { status, body } = await t.p.post('/v1/sms', { ...SMS, sendAt: sendAt.toISOString() });

    expect(status).toBe(200);
    await t.receiver.until((received) => received.length === 1);
    const lateMs = Date.now() - sendAt.getTime();
    expect(t.receiver.received[0]?.report).toMatchObject({
      messageId: `${body['id'] as string}:1`,
      status: 'Delivered',
    });
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThan(20_000);
  });
});

test('a message that expires before a worker claims it is never sent, and its failure is pushed', async () => {
  await using t = await setup({ queue: A_QUEUE });
  const sendAt = new Date(Date.now() + AHEAD_MS);

  const { status, body } = await t.p.post('/v1/sms', {
    ...SMS,
    sendAt: sendAt.toISOString(),
    expiresAt: new Date(sendAt.getTime() + 1).toISOString(),
  });

  expect(status).toBe(200);
  await t.receiver.until((received) => received.length === 1);
  const messageId = `${body['id'] as string}:1`;
  expect(t.receiver.received[0]?.report).toMatchObject({
    messageId,
    status: 'Failed',
    errCode: '901',
    deliveredDate: '',
  });
  const message = await t.p.get(`/v1/messages/${messageId}`);
  expect(message.body['data']).toMatchObject({ status: 'Failed', errCode: '901', gateway: null });
});

test('quiet hours hold only the recipients of their prefix, which can still be cancelled', async () => {
  await using t = await setup({ queue: A_QUEUE, env: { QUIET_HOURS: quietNow() } });

  const id = await t.p.send('/v1/sms', {
    ...SMS,
    type: 'PROMO',
    to: ['919800000100', '33600000100', '919800000101'],
  });

  await t.receiver.until((received) => received.length === 1);
  expect(t.receiver.received[0]?.report).toMatchObject({ messageId: `${id}:2`, status: 'Delivered' });
  const held = (await t.p.get(`/v1/messages/${id}:1`)).body['data'] as { heldUntil: string };
  expect(held).toMatchObject({ status: 'Pending', heldUntil: expect.stringMatching(/:00\.000Z$/) });
  expect(Date.parse(held.heldUntil)).toBeGreaterThan(Date.now());
  expect((await t.p.get(`/v1/sms/${id}`)).body['data']).toMatchObject({
    held: 2,
    heldUntil: held.heldUntil,
    statuses: { Pending: 2 },
  });

  const cancelled = await t.p.post(`/v1/sms/${id}/cancel`, {});
  expect(cancelled.body['data']).toMatchObject({ cancelled: 2, statuses: { Pending: 0, Failed: 2 } });
  await t.receiver.until((received) => received.length === 3);
  expect(
    t.receiver.received
      .slice(1)
      .map(({ report }) => `${report['messageId']} ${report['status']} ${report['errCode']}`)
      .toSorted(),
  ).toEqual([`${id}:1 Failed 902`, `${id}:3 Failed 902`]);
});

test('a send with a rate is spread over time', async () => {
  await using t = await setup({ queue: A_QUEUE });
  const to = Array.from({ length: 9 }, (_, i) => String(919800000100 + i));
  const startedAt = Date.now();

  await t.p.post('/v1/sms', { ...SMS, to, ratePerSecond: 4 });

  await t.receiver.until((received) => received.length === to.length);
  const seconds = (Date.now() - startedAt) / 1000;
  expect(seconds).toBeGreaterThan(1.4); // 9 messages in pairs; the first two pairs may come together
});

/** Quiet hours of PROMO to 91, from an hour ago until in an hour. */
function quietNow(): string {
  const clock = (hours: number): string =>
    new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
  return `PROMO 91 ${clock(-1)}-${clock(1)} UTC`;
}

async function setup(options: PipelineOptions) {
  await using started = new AsyncDisposableStack();
  const receiver = started.use(await startReceiver());
  const p = started.use(
    await startPipeline({ ...options, env: { SIMULATOR_DELAY_MS: '20', ...options.env } }),
  );
  await p.post('/v1/webhooks', { name: 'reports', endPoint: `${receiver.url}/hook` });
  const all = started.move();
  return { p, receiver, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
