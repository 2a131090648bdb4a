import { expect, test } from '@jest/globals';
import { ScriptedGateway, delivered } from '../../apps/api/test/scripted-gateway.ts';
import { waitFor } from '../servers/wait-for.ts';
import { type QueueBackend, describeOnEachQueue } from '../test/queue.ts';
import { startReceiver } from '../test/receiver.ts';
import { startPipeline } from './pipeline.ts';

describeOnEachQueue((queue) => {
  test('a code goes all the way: asked for, made, sent, reported, and good once', async () => {
    await using t = await setup(queue);

    const { status, body } = await t.p.post('/v1/verify', { configId: t.configId, to: '+919800000100' });
    expect([status, body]).toEqual([200, { data: expect.any(String), message: 'The code is on its way.', error: null }]);
    const verifyId = body['data'] as string;
    const code = await t.codeFor('919800000100');
    await t.receiver.until((received) => received.length === 1);

    expect(t.receiver.received[0]?.report).toMatchObject({ mobileNumber: '919800000100', senderName: 'SIGNALBX', status: 'Delivered' });
    const wrong = await t.p.post('/v1/verify/validate', { verifyId, otp: code === '000000' ? '111111' : '000000' });
    expect([wrong.status, wrong.body['error']]).toMatchObject([400, { code: 'otp_incorrect', attemptsRemaining: 4 }]);
    const right = await t.p.post('/v1/verify/validate', { verifyId, otp: code });
    expect([right.status, right.body]).toEqual([200, { data: verifyId, message: 'The code is right.', error: null }]);
    const again = await t.p.post('/v1/verify/validate', { verifyId, otp: code });
    expect([again.status, again.body['error']]).toMatchObject([409, { code: 'otp_already_used' }]);

    const found = await t.p.get(`/v1/verify/${verifyId}`);
    const { messageId } = t.receiver.received[0]!.report;
    expect(found.body['data']).toMatchObject({
      status: 'Verified',
      attempts: 1,
      sends: 1,
      messages: [{ messageId, channel: 'sms', status: 'Delivered', errCode: '000' }],
    });
    const stats = async (): Promise<unknown> => ((await t.p.get('/v1/verify/stats')).body['data'] as { total: unknown }).total;
    await waitFor(async () => JSON.stringify(await stats()).includes('"verified":1'), {
      timeoutMs: 5_000,
      otherwise: 'it was not counted',
    });
    expect(await stats()).toMatchObject({ sent: 1, verified: 1, conversion: 1 });
  });
});

async function setup(queue: QueueBackend) {
  await using started = new AsyncDisposableStack();
  const receiver = started.use(await startReceiver());
  const gateway = new ScriptedGateway(() => [[delivered()]]);
  const p = started.use(await startPipeline({ queue, gateway, workers: ['sms', 'dlr', 'otp'] }));
  await p.post('/v1/webhooks', { name: 'reports', endPoint: receiver.url });
  const config = await p.post('/v1/verify/configs', { name: 'login', sender: 'SIGNALBX', text: 'Code {{code}}' });
  const all = started.move();
  return {
    p,
    receiver,
    configId: (config.body['data'] as { id: string }).id,
    codeFor: async (to: string): Promise<string> => {
      const find = (): string | undefined => gateway.submitted.findLast(({ recipient }) => recipient === to)?.text;
      await waitFor(() => find() !== undefined, { timeoutMs: 15_000, otherwise: 'no code came' });
      return find()!.replace('Code ', '');
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
