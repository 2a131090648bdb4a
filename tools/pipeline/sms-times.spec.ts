import { expect, test } from '@jest/globals';
import { describeOnEachQueue } from '../test/queue.ts';
import { startReceiver } from '../test/receiver.ts';
import { type PipelineOptions, startPipeline } from './pipeline.ts';

const SMS = { sender: 'SIGNALBX', to: '919800000100', text: 'Hello', type: 'TRANS' };

describeOnEachQueue((queue) => {
  test('a scheduled message goes out at its time, within a second', async () => {
    await using t = await setup({ queue });
    const sendAt = new Date(Date.now() + 1_500);

    const { body } = await t.p.post('/v1/sms', { ...SMS, sendAt: sendAt.toISOString() });

    await t.receiver.until((received) => received.length === 1);
    const lateMs = Date.now() - sendAt.getTime();
    expect(t.receiver.received[0]?.report).toMatchObject({ messageId: `${body['id'] as string}:1`, status: 'Delivered' });
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThan(1_000);
  });

  test('a message that expires before a worker comes is never sent, and its webhook hears of it', async () => {
    await using t = await setup({ queue });

    const { body } = await t.p.post('/v1/sms', {
      ...SMS,
      sendAt: new Date(Date.now() + 100).toISOString(),
      expiresAt: new Date(Date.now() + 101).toISOString(),
    });

    await t.receiver.until((received) => received.length === 1);
    const messageId = `${body['id'] as string}:1`;
    expect(t.receiver.received[0]?.report).toMatchObject({ messageId, status: 'Failed', errCode: '901', deliveredDate: '' });
    const message = await t.p.get(`/v1/messages/${messageId}`);
    expect(message.body['data']).toMatchObject({ status: 'Failed', errCode: '901', gateway: null });
  });
});

async function setup(options: PipelineOptions) {
  await using started = new AsyncDisposableStack();
  const receiver = started.use(await startReceiver());
  const p = started.use(await startPipeline({ ...options, env: { SIMULATOR_DELAY_MS: '20', ...options.env } }));
  await p.post('/v1/webhooks', { name: 'reports', endPoint: `${receiver.url}/hook` });
  const all = started.move();
  return { p, receiver, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
