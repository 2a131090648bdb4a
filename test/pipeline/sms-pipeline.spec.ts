import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { seedDemoCarriers } from '@signalbox/database/ops/carriers';
import { A_QUEUE, describeOnEachQueue } from '../support/queue.ts';
import { type ReceivedPush, type Receiver, startReceiver } from '../support/receiver.ts';
import { type Pipeline, type PipelineOptions, startPipeline } from '../support/pipeline.ts';

describeOnEachQueue((queue) => {
  test('an SMS is accepted, submitted, reported and pushed', async () => {
    await using t = await setup({ queue });

    const sent = await t.p.post('/v1/sms', {
      sender: 'SIGNALBX',
      to: '+919800000100',
      text: 'Hello',
      type: 'TRANS',
    });

    expect(sent.status).toBe(200);
    const { id } = sent.body as { id: string };
    expect(sent.body).toEqual({
      id,
      data: [{ recipient: '919800000100', messageId: `${id}:1` }],
      totalCount: 1,
      message: 'The message was accepted.',
      error: null,
    });
    await t.receiver.until((received) => received.length === 1);
    expect(t.receiver.received[0]?.report).toEqual({
      messageId: `${id}:1`,
      mobileNumber: '919800000100',
      senderName: 'SIGNALBX',
      errCode: '000',
      status: 'Delivered',
      createdAt: expect.stringMatching(/^\d{13}$/),
      deliveredDate: expect.stringMatching(
        /^\w{3} \w{3} \d\d 2\d{3} \d\d:\d\d:\d\d GMT\+0000 \(Coordinated Universal Time\)$/,
      ),
      statusDescription: 'Message delivered',
    });
  });
});

describeOnEachQueue((queue) => {
  test('each script of the simulator has its outcome', async () => {
    await using t = await setup({ queue });
    const to = ['0001', '0002', '0003', '0004', '0005', '0006', '0007', '0008', '0009', '1234'].map(
      (script) => `91980000${script}`,
    );

    const { body } = await t.p.post('/v1/sms', { sender: 'SIGNALBX', to, text: 'Hello', type: 'TRANS' });

    await t.receiver.until(() => t.receiver.messageIds().size === to.length - 1);
    const outcomes = t.receiver.received
      .map(({ report }) => `${report['mobileNumber']?.slice(-4)} ${report['status']} ${report['errCode']}`)
      .toSorted();
    expect(outcomes).toEqual([
      '0001 Failed 001',
      '0002 Failed 002',
      '0003 Delivered 000',
      '0004 Delivered 000',
      '0005 Delivered 000',
      '0007 Delivered 000',
      '0008 Delivered 000',
      '0009 Delivered 000',
      '1234 Delivered 000',
    ]);
    expect(await t.statusOf(`${(body as { id: string }).id}:6`)).toBe('Sent');
  });
});

describeOnEachQueue((queue) => {
  test('a bulk in every lane reaches every recipient once', async () => {
    await using t = await setup({ queue });
    const to = Array.from({ length: 1_200 }, (_, i) => String(919811100000 + 100 + (i % 10) + i * 10_000));

    for (const type of ['TRANS', 'PROMO', 'OTP'])
      await t.p.post('/v1/sms', { sender: 'SIGNALBX', to, text: 'Hello', type });

    await t.receiver.until((received) => received.length >= 3_600);
    expect(t.receiver.messageIds().size).toBe(3_600);
  });
});

test('a carrier that the gateway does not report is looked up by prefix', async () => {
  await using t = await setup({ queue: A_QUEUE, prepare: seedDemoCarriers }, { fields: ['operatorCircle'] });
  const to = ['919812345678', '4915112345678'];

  const { body } = await t.p.post('/v1/sms', { sender: 'SIGNALBX', to, text: 'Hello', type: 'TRANS' });

  await t.receiver.until((received) => received.length === 2);
  const carriers = t.receiver.received
    .map(({ report }) => `${report['mobileNumber']} ${report['operatorCircle']}`)
    .toSorted();
  expect(carriers).toEqual(['4915112345678 UNKNOWN', '919812345678 Demo operator, Mumbai']);
  const { body: message } = await t.p.get(`/v1/messages/${(body as { id: string }).id}:1`);
  expect(message['data']).toMatchObject({ operatorCircle: 'Demo operator, Mumbai', country: 'IN' });
});

test('a GET webhook gets the report in its query, its headers, and a signature of its path', async () => {
  await using t = await setup(
    { queue: A_QUEUE },
    {
      method: 'GET',
      path: '/hook?tenant=7',
      headers: [{ key: 'X-Message', value: '{{messageId}}' }],
      fields: ['messageCredit'],
    },
  );

  const { body } = await t.p.post('/v1/sms', {
    sender: 'SIGNALBX',
    to: '919800000100',
    text: 'नमस्ते',
    type: 'TRANS',
  });

  await t.receiver.until((received) => received.length === 1);
  const [push] = t.receiver.received as [ReceivedPush];
  expect(push.method).toBe('GET');
  expect(push.report).toMatchObject({
    tenant: '7',
    messageId: `${(body as { id: string }).id}:1`,
    messageCredit: '1',
  });
  expect(push.headers['x-message']).toBe(push.report['messageId']);
  expect(() => new Webhook(t.secret).verify(push.url, push.headers as Record<string, string>)).not.toThrow(
    /signature/i,
  );
});

test('a webhook with intermediate statuses gets Sent before Delivered', async () => {
  // a report that overtakes the commit of the Sent event would be pushed alone
  const env = { SIMULATOR_DELAY_MS: '2000' };
  await using t = await setup({ queue: A_QUEUE, env }, { intermediate: true });

  await t.p.post('/v1/sms', { sender: 'SIGNALBX', to: '919800000100', text: 'Hello', type: 'TRANS' });

  await t.receiver.until((received) => received.length === 2);
  expect(t.receiver.received.map(({ report }) => [report['status'], report['deliveredDate'] === ''])).toEqual(
    [
      ['Sent', true],
      ['Delivered', false],
    ],
  );
});

test('a webhook gets only the reports that match its filters', async () => {
  await using t = await setup(
    { queue: A_QUEUE },
    { filters: { type: ['TRANS'], status: ['Failed'], country: ['DE'] } },
  );
  const send = (type: string, to: string[]) =>
    t.p.post('/v1/sms', { sender: 'SIGNALBX', to, text: 'Hello', type });

  await send('PROMO', ['4915100000001']);
  await send('TRANS', ['919800000001', '4915100000100']);
  const { body } = await send('TRANS', ['4915100000002']);

  await t.receiver.until((received) => received.length > 0);
  expect(t.receiver.received.map(({ report }) => report['messageId'])).toEqual([
    `${(body as { id: string }).id}:1`,
  ]);
});

async function setup(options: PipelineOptions, webhook: Partial<WebhookOptions> = {}) {
  await using started = new AsyncDisposableStack();
  const receiver: Receiver = started.use(await startReceiver());
  const p: Pipeline = started.use(
    await startPipeline({ ...options, env: { SIMULATOR_DELAY_MS: '20', ...options.env } }),
  );
  const { path = '/hook', ...rest } = webhook;
  const created = await p.post('/v1/webhooks', {
    name: 'reports',
    endPoint: receiver.url + path,
    maxInFlight: 32,
    ...rest,
  });
  expect(created.status).toBe(201);
  const { secret } = created.body['data'] as { secret: string };
  const all = started.move();
  return {
    p,
    receiver,
    secret,
    statusOf: async (messageId: string) =>
      ((await p.get(`/v1/messages/${messageId}`)).body['data'] as { status: string }).status,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

interface WebhookOptions {
  method: 'GET' | 'POST';
  path: string;
  headers: { key: string; value: string }[];
  fields: string[];
  intermediate: boolean;
  filters: object;
}
