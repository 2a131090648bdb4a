import { expect, test } from '@jest/globals';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { type GraphServer, graphRow, startGraph, webhook } from '../support/graph-server.ts';
import { type Pipeline, startPipeline } from '../support/pipeline.ts';
import { A_QUEUE } from '../support/queue.ts';
import { eventOf } from '../support/received-chat-events.ts';
import { startReceiver } from '../support/receiver.ts';
import { TEMPLATE_SAMPLES } from '../support/template-samples.ts';

const [CUSTOMER, BUSINESS] = ['919800000100', '15550100001'];
const USER = 'IN.13491208655302741918';
const METADATA = { display_phone_number: BUSINESS, phone_number_id: '106540' };

/** The whole service, a gateway to a fake of Meta, and an endpoint that receives the events. */
async function setup() {
  await using started = new AsyncDisposableStack();
  const graph = started.use(await startGraph(BUSINESS!));
  const receiver = started.use(await startReceiver());
  const env = { TEMPLATE_REVIEW: 'auto', SIMULATOR_DELAY_MS: '0' };
  const p = started.use(await startPipeline({ queue: A_QUEUE, env, workers: ['chatapp', 'dlr', 'otp'] }));
  const created = await p.post('/v1/gateways', {
    name: 'whatsapp',
    channel: 'chatapp',
    kind: 'cloud-api',
    ...graphRow(graph.url),
  });
  expect([created.status, created.body['error']]).toEqual([201, null]);
  const isUp = async (): Promise<boolean> => {
    const { state } = (await p.get('/v1/gateways/whatsapp')).body['data'] as { state: { status: string } };
    return state.status === 'up';
  };
  await waitFor(isUp, { otherwise: 'the gateway did not open' });
  await p.post('/v1/webhooks', { name: 'events', channel: 'chatapp', endPoint: `${receiver.url}/events` });
  const chats = await p.get('/v1/chat-accounts');
  const [{ id: chatAccountId }] = chats.body['data'] as [{ id: number }];
  const all = started.move();
  return {
    p,
    graph,
    ...flowOf(p, chatAccountId),
    events: () => receiver.received.map(eventOf),
    until: (isDone: () => boolean | Promise<boolean>, otherwise: string) => waitFor(isDone, { otherwise }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

function flowOf(p: Pipeline, chatAccountId: number) {
  const templateOf = async (id: string): Promise<Record<string, unknown>> =>
    (await p.get(`/v1/chatapp/getChatTemplate?id=${id}`)).body['data'] as Record<string, unknown>;
  return {
    templateOf,
    createTemplate: async (template: object): Promise<string> => {
      const { status, body } = await p.post('/v1/chatapp/createChatTemplate', { chatAccountId, ...template });
      expect([status, body['error']]).toEqual([200, null]);
      return body['id'] as string;
    },
    /** Calls back as Meta does. */
    callBack: async (field: string, value: object): Promise<void> => {
      const { body, headers } = webhook({ field, value: { metadata: METADATA, ...value } });
      const answer = await fetch(`${p.apiUrl}/v1/callbacks/whatsapp`, { method: 'POST', body, headers });
      expect(answer.status).toBe(200);
    },
    send: async (message: object): Promise<string> => {
      const { status, body } = await p.post('/v1/chatapp', { from: BUSINESS, to: CUSTOMER, ...message });
      expect([status, body['error']]).toEqual([200, null]);
      return `${String(body['id'])}:1`;
    },
  };
}

/** Waits for the registration of a template, and approves it by webhook. */
async function approve(t: Awaited<ReturnType<typeof setup>>, id: string, graph: GraphServer): Promise<void> {
  const registered = async (): Promise<string | undefined> => {
    const { registration } = (await t.templateOf(id)) as { registration?: { gatewayTemplateId?: string } };
    return registration?.gatewayTemplateId ?? undefined;
  };
  await t.until(async () => (await registered()) !== undefined, 'the template was not registered');
  const message_template_id = Number(await registered());
  expect(graph.templates.has(String(message_template_id))).toBe(true);
  await t.callBack('message_template_status_update', {
    event: 'APPROVED',
    message_template_id,
    reason: 'NONE',
  });
  await t.until(
    async () => (await t.templateOf(id))['status'] === 'Approved',
    'the template was not approved',
  );
}

test('a template is registered, approved by webhook, sent, and its statuses are pushed', async () => {
  await using t = await setup();
  const body = { type: 'BODY', text: 'Hi {{1}}', example: { body_text: [['Ann']] } };
  const id = await t.createTemplate({
    name: 'order',
    category: 'utility',
    language: 'en',
    components: [body],
  });
  await approve(t, id, t.graph);

  const messageId = await t.send({
    type: 'template',
    templateName: 'order',
    components: { body: { params: ['Bob'] } },
  });
  await t.until(() => t.graph.sent.length === 1, 'the message was not sent');
  const status = (word: string, more: object = {}): object => ({
    id: 'wamid.1',
    status: word,
    timestamp: String(Math.floor(Date.now() / 1_000)),
    recipient_id: CUSTOMER,
    biz_opaque_callback_data: messageId,
    ...more,
  });
  const pricing = { billable: true, pricing_model: 'PMP', category: 'utility', type: 'regular' };
  const statuses = [status('sent', { pricing }), status('delivered'), status('read')];
  await t.callBack('messages', { statuses });
  await t.callBack('messages', { statuses: statuses.toReversed() });
  await t.until(() => t.events().length >= 4, 'the statuses were not pushed');

  expect(t.graph.sent).toMatchObject([
    {
      to: CUSTOMER,
      template: {
        name: 'order',
        components: [{ type: 'body', parameters: [{ type: 'text', text: 'Bob' }] }],
      },
      biz_opaque_callback_data: messageId,
    },
  ]);
  const pushed = t.events().map(({ type, data }) => `${type} ${String(data['status'])}`);
  expect(pushed.toSorted()).toEqual([
    'message.sent Sent',
    'message.status Delivered',
    'message.status Read',
    'message.status Sent',
  ]);
  expect(t.events()[0]!.data).toMatchObject({ messageId, gatewayName: 'whatsapp' });
  const countDelivered = `SELECT sum(delivered)::integer AS count FROM gateway_minute WHERE gateway = 'whatsapp'`;
  await t.until(
    async () => (await t.p.db.query(countDelivered))[0].count === 4,
    'the reports were not counted for the health of their gateway',
  );
});

test('a code is sent by the template of a verification', async () => {
  await using t = await setup();
  const id = await t.createTemplate({ ...TEMPLATE_SAMPLES['copy_code'], name: 'login_code' });
  await approve(t, id, t.graph);
  const config = await t.p.post('/v1/verify/configs', {
    name: 'login',
    channel: 'chatapp',
    template: { name: 'login_code', from: BUSINESS },
    sender: 'SIGNALBX',
    text: 'Code {{code}}',
  });
  const { id: configId } = config.body['data'] as { id: string };
  const { body } = await t.p.post('/v1/verify', { configId, to: CUSTOMER });
  await t.until(() => t.graph.sent.length === 1, 'the code was not sent');

  const [{ template }] = t.graph.sent as [{ template: { components: { parameters: [{ text: string }] }[] } }];
  const [shown, copied] = template.components.map(({ parameters }) => parameters[0].text);
  expect(copied).toBe(shown);
  const checked = await t.p.post('/v1/verify/validate', { verifyId: body['data'], otp: shown });
  expect(checked.status).toBe(200);
});

test('a message of a person without a number becomes an event, and can be answered', async () => {
  await using t = await setup();
  const inbound = { id: 'wamid.in', from_user_id: USER, timestamp: String(Math.floor(Date.now() / 1_000)) };
  await t.callBack('messages', { messages: [{ ...inbound, type: 'text', text: { body: 'Hello' } }] });
  await t.until(() => t.events().length === 1, 'the message was not pushed');
  const [event] = t.events();
  expect(event).toMatchObject({
    type: 'message.received',
    data: { from: null, userId: USER, to: BUSINESS, messageType: 'text', text: { body: 'Hello' } },
  });

  const replied = String(event!.data['messageId']);
  await t.send({ to: USER, type: 'text', text: { body: 'Hi' }, context: { messageId: replied } });
  await t.until(() => t.graph.sent.length === 1, 'the answer was not sent');
  expect(t.graph.sent).toMatchObject([{ recipient: USER, context: { message_id: 'wamid.in' } }]);

  await t.callBack('messages', {
    messages: [{ ...inbound, id: 'wamid.stop', type: 'text', text: { body: 'STOP' } }],
  });
  const untilOptedOut = (...wanted: string[]): Promise<void> =>
    t.until(
      async () => {
        const { body } = await t.p.get('/v1/opt-outs');
        const found = new Set((body['data'] as { recipient: string }[]).map(({ recipient }) => recipient));
        return wanted.every((each) => found.has(each));
      },
      `not opted out: ${wanted.join(', ')}`,
    );
  await untilOptedOut(USER);

  const [number, newNumber] = ['919800000301', '919800000302'];
  const sent = t.graph.sent[0]!['biz_opaque_callback_data'];
  const status = { id: 'wamid.out', status: 'delivered', biz_opaque_callback_data: sent };
  await t.callBack('messages', {
    statuses: [{ ...status, timestamp: inbound.timestamp, recipient_id: number, recipient_user_id: USER }],
  });
  await untilOptedOut(number);

  const system = { type: 'user_changed_number', wa_id: newNumber, user_id: 'IN.new', previous_user_id: USER };
  await t.callBack('messages', {
    messages: [{ id: 'wamid.system', from: number, timestamp: inbound.timestamp, type: 'system', system }],
  });
  await untilOptedOut(newNumber, 'IN.new');
});
