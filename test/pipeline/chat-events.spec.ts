import type { ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { TEMPLATE_MESSAGE } from '../support/chat-event-data.ts';
import type { Pipeline } from '../support/pipeline.ts';
import { A_QUEUE, describeOnEachQueue } from '../support/queue.ts';
import type { ReceivedPush } from '../support/receiver.ts';
import { newSubmission } from '../support/rows.ts';
import { BUSINESS, CUSTOMER, eventOf, startChatEvents } from '../support/received-chat-events.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const TEMPLATE = {
  id: '1',
  version: 1,
  name: 'order_update',
  language: 'en_US',
  category: 'UTILITY' as const,
  params: ['A-1'],
};

describeOnEachQueue((queue) => {
  test('a template message pushes message.sent, Sent, Delivered and Read, signed and in order', async () => {
    await using t = await startChatEvents(queue, { headers: [{ key: 'X-Status', value: '{{status}}' }] });
    const { id } = await t.send({
      kind: 'template',
      content: { template: TEMPLATE },
      campaign: 'spring',
      clientRef: 'A-1',
    });

    await t.report(id, ['SENT', 'DELIVERED', 'READ']);
    await t.receiver.until((received) => received.length === 4);

    const inOrder = t.receiver.received.toSorted(
      (a, b) => Number(a.headers['webhook-sequence']) - Number(b.headers['webhook-sequence']),
    );
    const [sent, ...statuses] = inOrder.map(eventOf);
    const shown = {
      messageId: `${id}:1`,
      from: BUSINESS,
      to: CUSTOMER,
      status: 'Sent',
      ...TEMPLATE_MESSAGE,
      statusDescription: 'Message sent',
      createdAt: expect.stringMatching(ISO),
    };
    expect(sent).toEqual({ type: 'message.sent', timestamp: expect.stringMatching(ISO), data: shown });
    expect(statuses).toEqual(
      ['Sent', 'Delivered', 'Read'].map((status) => ({
        type: 'message.status',
        timestamp: expect.stringMatching(ISO),
        data: { ...shown, status, statusDescription: status.toUpperCase() },
      })),
    );
    expect(t.statusesOf(id)).toEqual(['Sent', 'Delivered', 'Read']);
    expect(inOrder.map(({ headers }) => headers['webhook-sequence'])).toEqual(['0', '1', '2', '3']);
    for (const push of t.receiver.received) {
      expect(new Webhook(t.secret).verify(push.body, push.headers as Record<string, string>)).toEqual(
        push.report,
      );
      expect(push.headers['x-status']).toBe(eventOf(push).data['status']);
    }
  });
});

test('a webhook gets the events of its channel that it subscribes to', async () => {
  await using t = await startChatEvents(A_QUEUE, {
    events: ['message.status'],
    filters: { status: ['Read'], country: ['IN'] },
  });
  await t.addWebhook({ name: 'all', channel: 'chatapp', endPoint: `${t.receiver.url}/all` });
  await t.addWebhook({
    name: 'elsewhere',
    channel: 'chatapp',
    endPoint: `${t.receiver.url}/elsewhere`,
    filters: { country: ['DE'] },
  });
  await t.addWebhook({ name: 'sms', endPoint: `${t.receiver.url}/sms`, intermediate: true });
  const [{ id }, sms] = [await t.send(), newSubmission({ accountId: t.accountId })];
  await t.send(sms);

  await t.report(id, ['SENT', 'DELIVERED', 'READ']);
  const inbound = await t.receive({ replyTo: { submissionId: id, n: 1 } });
  await t.report(sms.id, ['DELIVERED'], { gateway: 'simulator' });

  await t.receiver.until((received) => received.length >= 7);
  await waitFor(async () => (await t.countOpenReports()) === 0, {
    otherwise: 'some reports were not applied',
  });
  expect(t.receiver.received.map(describePush).toSorted()).toEqual(
    [
      `/all message.received ${inbound} Received `,
      `/all message.sent ${id}:1 Sent session`,
      ...['Delivered', 'Read', 'Sent'].map((status) => `/all message.status ${id}:1 ${status} session`),
      `/events message.status ${id}:1 Read session`,
      `/sms report ${sms.id}:1 Delivered `,
    ].toSorted(),
  );
  const received = t.receiver.received.map(eventOf).find(({ type }) => type === 'message.received');
  expect(received?.data).toMatchObject({
    from: CUSTOMER,
    to: BUSINESS,
    text: { body: 'YES' },
    context: { messageId: `${id}:1` },
  });
});

describeOnEachQueue((queue) => {
  test('a refused event is retried before those that follow it', async () => {
    await using t = await startChatEvents(queue, { schedule: [1, 1] }, refuseFirst(['Delivered']));
    const { id } = await t.send();

    await t.report(id, ['SENT', 'DELIVERED', 'READ']);
    await t.receiver.until((received) => received.length === 5);

    expect(t.statusesOf(id)).toEqual(['Sent', 'Delivered', 'Delivered', 'Read']);
    const deliveries = await listDeliveries(t, `${id}:1`);
    expect(deliveries.map(({ event, messageStatus }) => `${event} ${messageStatus}`).toSorted()).toEqual([
      'message.sent Sent',
      'message.status Delivered',
      'message.status Read',
      'message.status Sent',
    ]);
  });
});

test('a refused message.received event is retried, and can be replayed', async () => {
  await using t = await startChatEvents(A_QUEUE, { schedule: [1, 1] }, refuseFirst(['Received']));

  const inbound = await t.receive();
  await t.receiver.until((received) => received.length === 2);
  await waitFor(async () => (await listDeliveries(t, inbound))[0]?.status === 'delivered', {
    otherwise: 'the event was not delivered',
  });

  const [delivery] = await listDeliveries(t, inbound);
  expect(delivery).toMatchObject({
    event: 'message.received',
    messageStatus: 'Received',
    recipient: CUSTOMER,
    messageId: inbound,
  });
  await t.p.post(`/v1/webhook-deliveries/${delivery!.id}/replay`, {});
  await t.receiver.until((received) => received.length === 3);
  expect(eventOf(t.receiver.received[2]!)).toMatchObject({
    type: 'message.received',
    data: { messageId: inbound },
  });
});

test('a failure is pushed with its reason, and a later delivery corrects it', async () => {
  await using t = await startChatEvents(A_QUEUE, { events: ['message.status'] });
  const { id } = await t.send();

  await t.report(id, ['FAILED'], { errCode: '001', description: 'Absent subscriber' });
  await t.receiver.until((received) => received.length === 1);
  await t.report(id, ['DELIVERED']);
  await t.receiver.until((received) => received.length === 2);

  expect(
    t.receiver.received
      .map(eventOf)
      .map(({ data }) => [data['status'], data['errCode'], data['statusDescription']]),
  ).toEqual([
    ['Failed', '001', 'Absent subscriber'],
    ['Delivered', '000', 'DELIVERED'],
  ]);
});

/** Returns 500 to the first call of each event with one of these statuses, and 200 to every other call. */
function refuseFirst(statuses: string[]): (push: ReceivedPush, response: ServerResponse) => void {
  const seen = new Set<string>();
  return (push, response) => {
    const id = String(push.headers['webhook-id']);
    const isRefused = !seen.has(id) && statuses.includes(String(eventOf(push).data['status']));
    seen.add(id);
    response.writeHead(isRefused ? 500 : 200).end();
  };
}

/** `<path> <event type> <message id> <status> <kind>`; an SMS report has no event type and no kind. */
function describePush({ url, report, body }: ReceivedPush): string {
  const { type, data } = JSON.parse(body) as {
    type?: string;
    data?: { messageId: string; status: string; kind?: string };
  };
  const { messageId, status } = data ?? report;
  return `${url} ${type ?? 'report'} ${messageId} ${status} ${data?.kind ?? ''}`;
}

interface Delivery {
  id: string;
  event: string;
  messageStatus: string;
  recipient: string;
  messageId: string;
  status: string;
}

async function listDeliveries(
  { p, webhookId }: { p: Pipeline; webhookId: string },
  messageId: string,
): Promise<Delivery[]> {
  const { body } = await p.get(`/v1/webhooks/${webhookId}/deliveries?messageId=${messageId}`);
  return body['data'] as Delivery[];
}
