import { expect, test } from '@jest/globals';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { A_QUEUE, type QueueBackend, describeOnEachQueue } from '../support/queue.ts';
import { startReceiver } from '../support/receiver.ts';
import { startPipeline } from '../support/pipeline.ts';

describeOnEachQueue((queue) => {
  test('a code is requested, generated, sent and reported, and is valid once', async () => {
    await using t = await setup(queue);

    const { status, body } = await t.p.post('/v1/verify', { configId: t.configId, to: '+919800000100' });
    expect([status, body]).toEqual([
      200,
      { data: expect.any(String), message: 'The code is on its way.', error: null },
    ]);
    const verifyId = body['data'] as string;
    const code = await t.codeFor('919800000100');
    await t.receiver.until((received) => received.length === 1);

    expect(t.receiver.received[0]?.report).toMatchObject({
      mobileNumber: '919800000100',
      senderName: 'SIGNALBX',
      status: 'Delivered',
    });
    const wrong = await t.p.post('/v1/verify/validate', {
      verifyId,
      otp: code === '000000' ? '111111' : '000000',
    });
    expect([wrong.status, wrong.body['error']]).toMatchObject([
      400,
      { code: 'otp_incorrect', attemptsRemaining: 4 },
    ]);
    const right = await t.p.post('/v1/verify/validate', { verifyId, otp: code });
    expect([right.status, right.body]).toEqual([
      200,
      { data: verifyId, message: 'The code is correct.', error: null },
    ]);
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
    const stats = async (): Promise<unknown> =>
      ((await t.p.get('/v1/verify/stats')).body['data'] as { total: unknown }).total;
    await waitFor(async () => JSON.stringify(await stats()).includes('"verified":1'), {
      otherwise: 'the verification was not counted',
    });
    expect(await stats()).toMatchObject({ sent: 1, verified: 1, conversion: 1 });
  });
});

test('a code expires soon after its expiry, by the clock of the database', async () => {
  await using t = await setup(A_QUEUE);
  const verifyId = (await t.p.post('/v1/verify', { configId: t.configId, to: '919800000100' })).body[
    'data'
  ] as string;
  await t.codeFor('919800000100');
  await t.query(`UPDATE verification SET expires_at = now() + interval '300 milliseconds'`);

  const isExpired = async (): Promise<boolean> =>
    (await t.query(`SELECT FROM verification WHERE status = 'EXPIRED' AND code_mac IS NULL`)).length > 0;
  await waitFor(isExpired, { otherwise: 'the code did not expire' });

  expect(
    await t.query(`SELECT clock_timestamp() - expires_at < interval '20 seconds' AS soon FROM verification`),
  ).toEqual([{ soon: true }]);
  expect((await t.p.get(`/v1/verify/${verifyId}`)).body['data']).toMatchObject({
    status: 'Expired',
    attemptsRemaining: 0,
  });
});

describeOnEachQueue((queue) => {
  test('a code whose job was lost is still generated', async () => {
    await using t = await setup(queue);
    await t.p.post('/v1/verify', { configId: t.configId, to: '919800000100' });
    await t.codeFor('919800000100');

    await t.query(
      `INSERT INTO verification (id, account_id, config_id, key_id, recipient, country, is_test, max_attempts, created_at, expires_at)
       SELECT uuidv7(), account_id, config_id, key_id, '919800000101', country, false, 5, now() - interval '30 seconds', now() + interval '5 minutes' FROM verification`,
    );

    expect(await t.codeFor('919800000101')).toMatch(/^\d{6}$/);
  });
});

async function setup(queue: QueueBackend) {
  await using started = new AsyncDisposableStack();
  const receiver = started.use(await startReceiver());
  const env = { SIMULATOR_INBOX: '1', SIMULATOR_DELAY_MS: '20' };
  const p = started.use(await startPipeline({ queue, env, workers: ['sms', 'dlr', 'otp'] }));
  await p.post('/v1/webhooks', { name: 'reports', endPoint: receiver.url });
  const config = await p.post('/v1/verify/configs', {
    name: 'login',
    sender: 'SIGNALBX',
    text: 'Code {{code}}',
  });
  const all = started.move();
  return {
    p,
    receiver,
    query: <Row>(sql: string): Promise<Row[]> => p.db.query(sql),
    configId: (config.body['data'] as { id: string }).id,
    /** Returns the text on the phone of this number, as a person would read it. */
    codeFor: async (to: string): Promise<string> => {
      const read = async (): Promise<{ text: string }[]> =>
        (await p.get(`/v1/simulator/phones/${to}/messages`)).body['data'] as { text: string }[];
      await waitFor(async () => (await read()).length > 0, { otherwise: 'no code came' });
      return (await read())[0]!.text.replace('Code ', '');
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
