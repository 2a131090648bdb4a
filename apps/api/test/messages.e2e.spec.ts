import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { recordSubmits } from '@signalbox/database/messages/submits';
import { applyReports, insertReports } from '@signalbox/database/reports/reports';
import { fanOut } from '@signalbox/database/submissions/submissions';
import { newReport } from '@signalbox/test/rows';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { type Receiver, startReceiver } from '@signalbox/test/receiver';
import { type ApiUnderTest, GOOD_SMS, startApi } from './api-under-test.ts';
import { ScriptedGateway, type ScriptedReport, delivered } from './scripted-gateway.ts';

interface Message {
  status: string;
  gateway: string | null;
  sentAt: string | null;
  timeline: { at: string; event: string }[];
  content: { text: string | null };
}

const started = new AsyncDisposableStack();
const scripts: Record<string, ScriptedReport[][]> = {
  '919800000201': [[delivered({ operatorCircle: 'Airtel, Delhi' })]],
  '919800000202': [
    [delivered({ status: 'FAILED', errCode: '001', description: 'Absent subscriber' })],
    [delivered()],
  ],
};
const gateway = new ScriptedGateway((recipient) => scripts[recipient] ?? []);
let t: ApiUnderTest;
let receiver: Receiver;

beforeAll(async () => {
  receiver = started.use(await startReceiver());
  t = started.use(
    await startApi({
      workers: ['sms', 'dlr'],
      gateway,
    }),
  );
  await t.call({ path: '/v1/webhooks', body: { name: 'reports', endPoint: receiver.url } });
  await t.call({
    path: '/v1/webhooks',
    body: { name: 'nobody listens', endPoint: 'http://127.0.0.1:9999/' },
  });
});
afterAll(() => started.disposeAsync());

async function look(messageId: string): Promise<Message> {
  return (await t.call<Message>({ method: 'GET', path: `/v1/messages/${messageId}` })).body.data;
}

/** The message, once its timeline is long enough. */
async function lookUntil(messageId: string, events: number): Promise<Message> {
  await waitFor(async () => (await look(messageId)).timeline.length >= events, {
    otherwise: 'the timeline did not grow',
  });
  return look(messageId);
}

test('an accepted message is Pending, with the fields of its call', async () => {
  await using idle = await startApi();
  const { body } = await idle.call({
    body: { ...GOOD_SMS, to: ['919800000100', '919800000101'], campaignName: 'Spring', clientRef: 'order 7' },
  });

  const answer = await idle.call({ method: 'GET', path: `/v1/messages/${body.id}:2` });

  expect([answer.status, answer.body]).toEqual([
    200,
    {
      data: {
        messageId: `${body.id}:2`,
        recipient: '919800000101',
        sender: 'SIGNALBX',
        channel: 'sms',
        type: 'TRANS',
        status: 'Pending',
        errCode: null,
        statusDescription: null,
        credits: 1,
        gateway: null,
        operatorCircle: 'UNKNOWN',
        country: 'IN',
        campaignName: 'Spring',
        clientRef: 'order 7',
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        sentAt: null,
        deliveredAt: null,
        unconfirmed: false,
        parked: false,
        clicks: null,
        templateName: null,
        sendAt: null,
        expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        heldUntil: null,
        waitsFor: null,
        lastInboundAt: null,
        sessionOpenUntil: null,
        content: {
          text: 'Hello',
          isCode: false,
          encoding: 'GSM-7',
          flash: false,
          smsTemplateId: null,
          rendered: null,
        },
        gatewayMessageId: null,
        sendSize: 2,
        timeline: [{ at: expect.any(String), event: 'accepted' }],
      },
      message: 'The message was found.',
      error: null,
    },
  ]);
  expect((await idle.call({ method: 'GET', path: `/v1/messages/${body.id}:3` })).status).toBe(404);
});

test('a message that ends without a gateway was never sent', async () => {
  await using idle = await startApi();
  const { id } = (await idle.call({ body: GOOD_SMS })).body;
  const failed = newReport(id, { gateway: '', status: 'FAILED', errCode: '011' });
  await insertReports(idle.db, [failed]);
  await fanOut(idle.db, [id], 60);
  const submit = { submissionId: id, n: 1, gatewayMessageId: null, retryAfterMs: 0 };
  await recordSubmits(idle.db, null, [{ ...submit, result: 'rejected' }]);
  await applyReports(idle.db, [failed.id]);

  const { data } = (await idle.call<Message>({ method: 'GET', path: `/v1/messages/${id}:1` })).body;

  expect(data).toMatchObject({ status: 'Failed', gateway: null, sentAt: null });
  expect(data.timeline.map(({ event }) => event)).toEqual(['accepted', 'report']);
});

test('the timeline lists the report and each push, delivered or waiting', async () => {
  const { body } = await t.call({ body: { ...GOOD_SMS, to: '919800000201' } });

  const message = await lookUntil(`${body.id}:1`, 6);

  expect(message).toMatchObject({
    status: 'Delivered',
    errCode: '000',
    statusDescription: 'Message delivered',
    gateway: 'scripted',
    operatorCircle: 'Airtel, Delhi',
  });
  const { timeline } = message;
  expect(timeline.map(({ at }) => at)).toEqual(timeline.map(({ at }) => at).toSorted());
  expect(timeline.slice(0, 2)).toMatchObject([{ event: 'accepted' }, { event: 'sent' }]);
  expect(timeline).toContainEqual({
    at: expect.any(String),
    event: 'report',
    status: 'Delivered',
    errCode: '000',
    description: 'Message delivered',
    gateway: 'scripted',
  });
  expect(timeline).toContainEqual(
    expect.objectContaining({
      event: 'push_delivered',
      webhookName: 'reports',
      attempts: 1,
      responseStatus: 200,
    }),
  );
  expect(timeline).toContainEqual(
    expect.objectContaining({
      event: 'push_attempt',
      webhookName: 'nobody listens',
      description: 'connect_failed',
    }),
  );
  expect(timeline).toContainEqual(
    expect.objectContaining({
      event: 'push_waiting',
      webhookName: 'nobody listens',
      nextAttemptAt: expect.any(String),
    }),
  );
});

test('the choice of a gateway comes before the submit, although it is stored with its outcome', async () => {
  const { body } = await t.call({ body: { ...GOOD_SMS, to: '919800000201' } });
  await lookUntil(`${body.id}:1`, 6);
  await t.db.query(
    `INSERT INTO routing_event (id, submission_id, n, event, gateway, reason)
     SELECT uuidv7(), $1, 1, given.*
       FROM (VALUES ('ROUTED', 'a', ''), ('FAILED_OVER', 'a', ''), ('ROUTED', 'b', '')) AS given`,
    [body.id],
  );

  const { timeline } = await look(`${body.id}:1`);

  expect(timeline.slice(0, 5)).toMatchObject([
    { event: 'accepted' },
    { event: 'routed', gateway: 'a' },
    { event: 'failed_over', gateway: 'a' },
    { event: 'routed', gateway: 'b' },
    { event: 'sent' },
  ]);
  expect(timeline.map(({ at }) => at)).toEqual(timeline.map(({ at }) => at).toSorted());
});

test('a failure that the gateway corrects stays in the timeline of the Delivered message', async () => {
  const { body } = await t.call({ body: { ...GOOD_SMS, to: '919800000202' } });
  await receiver.until(
    (received) => received.filter(({ report }) => report['messageId'] === `${body.id}:1`).length === 2,
  );

  const { status, timeline } = await look(`${body.id}:1`);

  expect(status).toBe('Delivered');
  expect(timeline.filter(({ event }) => event === 'report')).toMatchObject([
    { status: 'Failed', errCode: '001', description: 'Absent subscriber' },
    { status: 'Delivered', errCode: '000' },
  ]);
});

test('a message shows the text as the gateway got it, with its values and links', async () => {
  const template = await t.call<{ id: string }>({
    path: '/v1/sms/templates',
    body: { name: 'shipped', text: 'Hi {{1}}, {{2}} is at {{shortUrl}} 🚚' },
  });
  const { body } = await t.call({
    body: {
      sender: 'SHOP',
      to: ['919800000203', '919800000204'],
      type: 'TRANS',
      flash: 1,
      templateId: template.body.data.id,
      custom: [
        ['Ann', '{{2}}'],
        ['Bea', '8'],
      ],
      shortenUrlData: { shortenUrl: true, targetUrl: ['https://example.com/orders'] },
    },
  });
  const id = `${body.id}:1`;
  await waitFor(() => gateway.submitted.some(({ messageId }) => messageId === id), {
    otherwise: 'the message was not submitted',
  });

  const message = await look(id);

  expect(message).toMatchObject({
    content: {
      text: gateway.submitted.find(({ messageId }) => messageId === id)!.text,
      isCode: false,
      encoding: 'UCS-2',
      flash: true,
      smsTemplateId: template.body.data.id,
      rendered: null,
    },
    sendSize: 2,
  });
  expect(message.content.text).toMatch(/^Hi Ann, \{\{2\}\} is at http.+\/s\/[0-9A-Za-z]{12} 🚚$/u);
});

test('no answer holds a one-time password, not even before it is submitted', async () => {
  await using idle = await startApi();
  const { body } = await idle.call({ body: { ...GOOD_SMS, type: 'OTP', text: 'Your code is 483920' } });

  const one = await idle.call<Message>({ method: 'GET', path: `/v1/messages/${body.id}:1` });
  const list = await idle.call({ method: 'GET', path: '/v1/messages' });

  expect(one.body.data.content).toMatchObject({ text: null, isCode: true, rendered: null });
  expect(one.text + list.text).not.toContain('483920');
});

test('the id of a send in place of that of a message is explained, whoever has the send', async () => {
  await using idle = await startApi();
  const { body } = await idle.call({ body: GOOD_SMS });

  for (const id of [body.id!, '019e6f0c-5a53-7d0c-8a4e-6f1f0a6d2b11']) {
    const answer = await idle.call({ method: 'GET', path: `/v1/messages/${id}` });

    expect(answer.status).toBe(404);
    expect(answer.body.message).toContain(`ends with its number, as ${id}:1.`);
  }
});

test('a parked message is marked as parked', async () => {
  await using idle = await startApi();
  const { body } = await idle.call({ body: GOOD_SMS });
  await idle.db.query(
    `INSERT INTO message (submission_id, n, account_id, recipient, status, credits, claimed_until, starts)
     SELECT id, 1, account_id, recipients[1], 'PENDING', 1, now(), 10 FROM submission WHERE id = $1`,
    [body.id],
  );

  const answer = await idle.call({ method: 'GET', path: `/v1/messages/${body.id}:1` });

  expect(answer.body.data).toMatchObject({ status: 'Pending', parked: true });
});
