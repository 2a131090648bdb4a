import { expect, test } from '@jest/globals';
import type { ChatHeader } from '@signalbox/domain/chat/message';
import { type CompiledTemplate, compileTemplate, renderTemplate } from '@signalbox/domain/chat/template';
import type { TemplateComponent, TemplateContent } from '@signalbox/domain/templates/template';
import { Webhook } from 'standardwebhooks';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { SESSION_MESSAGES } from '../support/chat-messages.ts';
import { A_QUEUE, describeOnEachQueue, type QueueBackend } from '../support/queue.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { TEMPLATE_SAMPLES, type TemplateSample, mediaSamples } from '../support/template-samples.ts';
import { type Pipeline, startPipeline } from '../support/pipeline.ts';
import { uploadSamples } from '../support/upload-samples.ts';

const SENDER = '15550100001';
const FILES = {
  image: 'https://cdn.example.com/a.jpg',
  video: 'https://cdn.example.com/a.mp4',
  document: 'https://cdn.example.com/a.pdf',
};

/** A template whose header each send fills; no sample has one. */
const FILLED_HEADER: TemplateSample = {
  category: 'UTILITY',
  language: 'en',
  components: [
    { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
    { type: 'BODY', text: 'Hi {{1}}, it is on its way and comes {{2}}.' },
  ],
};

/** An event as a webhook receives it. */
interface ChatEvent {
  type: string;
  data: {
    messageId: string;
    status: string;
    kind: string;
    messageType: string;
    templateName: string | null;
    from: string;
    to: string;
  };
}

test('every kind of template is created, reviewed, sent, and pushed as Sent, Delivered and Read', async () => {
  await using receiver = await startReceiver();
  await using t = await setup(A_QUEUE, receiver);
  const samples = { ...TEMPLATE_SAMPLES, ...mediaSamples(await t.upload()), filled_header: FILLED_HEADER };
  for (const [name, sample] of Object.entries(samples)) await t.createTemplate(name, sample);
  await t.untilApproved(Object.keys(samples).length);

  const sent = new Map<string, { name: string; to: string; shown: object }>();
  for (const [i, [name, sample]] of Object.entries(samples).entries()) {
    const [to, filled] = [String(919_800_000_100 + i), fill(sample)];
    const messageId = await t.send({ to, type: 'template', templateName: name, ...filled.request });
    sent.set(messageId, { name, to, shown: filled.shown });
  }

  await t.untilRead(sent.size);
  for (const [messageId, { name, to, shown }] of sent) {
    const events = t.eventsOf(messageId);
    expect([name, ...events.map(({ data }) => data.status)]).toEqual([name, 'Sent', 'Delivered', 'Read']);
    expect(events[0]!.data).toMatchObject({
      from: SENDER,
      to,
      kind: 'template',
      messageType: 'template',
      templateName: name,
    });
    expect(await t.phoneOf(to)).toMatchObject([
      { messageId, channel: 'chatapp', from: SENDER, content: shown },
    ]);
  }
});

describeOnEachQueue((queue) => {
  test('every kind of session message is sent as written, and pushed as Sent, Delivered and Read', async () => {
    await using receiver = await startReceiver();
    await using t = await setup(queue, receiver);
    const sent = new Map<string, { name: string; to: string; shown: object }>();
    for (const [i, [name, { message, shown }]] of Object.entries(SESSION_MESSAGES).entries()) {
      const to = String(919_800_000_100 + i);
      sent.set(await t.send({ to, ...message }), { name, to, shown });
    }

    await t.untilRead(sent.size);
    for (const [messageId, { name, to, shown }] of sent) {
      const events = t.eventsOf(messageId);
      expect([name, ...events.map(({ data }) => `${data.kind} ${data.status}`)]).toEqual([
        name,
        'session Sent',
        'session Delivered',
        'session Read',
      ]);
      expect(await t.phoneOf(to)).toMatchObject([{ messageId, content: shown }]);
    }
  });
});

/** Returns a send of a template, with every value that it needs, and its rendering on a phone. */
function fill({ category, components, code_expiration_minutes }: TemplateSample): {
  request: object;
  shown: object;
} {
  const content: TemplateContent = {
    category: category.toUpperCase() as TemplateContent['category'],
    components: components as TemplateComponent[],
    allowCategoryChange: false,
    codeExpirationMinutes: code_expiration_minutes ?? null,
  };
  const template = compileTemplate(content);
  const params = Array.from({ length: template.paramCount }, (_, i) => `value-${i + 1}-{{1}}`);
  const code = template.carriesCode ? '483920' : undefined;
  const header = headerOf(template);
  const parts = { ...(params.length > 0 && { body: { params } }), ...(header && { header }) };
  const request = { ...(Object.keys(parts).length > 0 && { components: parts }), ...(code && { otp: code }) };
  return { request, shown: renderTemplate(template, { params, header, code }) };
}

/** Returns the header that a send of this template needs. */
function headerOf({ header }: CompiledTemplate): ChatHeader | undefined {
  if (header === undefined || (header.type === 'text' && !header.isFilled)) return undefined;
  const { type } = header;
  if (type === 'text') return { type, text: 'A-17 {{1}}' };
  return { type, [type]: { link: FILES[type], ...(type === 'document' && { filename: 'a.pdf' }) } };
}

async function setup(queue: QueueBackend, receiver: Receiver) {
  const env = { TEMPLATE_REVIEW: 'auto', SIMULATOR_DELAY_MS: '5', SIMULATOR_INBOX: '1' };
  const p = await startPipeline({ queue, workers: ['chatapp', 'dlr'], env });
  const accounts = (await p.get('/v1/chat-accounts')).body['data'] as { id: number }[];
  const webhook = await p.post('/v1/webhooks', {
    name: 'events',
    channel: 'chatapp',
    endPoint: receiver.url,
    maxInFlight: 32,
    events: ['message.status'],
  });
  const signed = new Webhook((webhook.body['data'] as { secret: string }).secret);
  return {
    upload: () => uploadSamples(p),
    createTemplate: async (name: string, sample: object): Promise<void> => {
      const created = await p.post('/v1/chatapp/createChatTemplate', {
        name,
        chatAccountId: accounts[0]!.id,
        ...sample,
      });
      expect([name, created.status]).toEqual([name, 200]);
    },
    untilApproved: (count: number): Promise<void> => {
      const isDone = async (): Promise<boolean> =>
        ((await p.get('/v1/chatapp/chatTemplateList?status=Approved')).body['data'] as object[]).length ===
        count;
      return waitFor(isDone, { otherwise: 'the templates were not approved' });
    },
    send: (message: { to: string } & Record<string, unknown>) => send(p, message),
    untilRead: (count: number): Promise<void> =>
      receiver.until(
        (pushes) =>
          pushes.filter(({ body }) => (JSON.parse(body) as ChatEvent).data.status === 'Read').length >= count,
      ),
    /** Returns the events of a message in the order of their arrival, and verifies their signatures. */
    eventsOf: (messageId: string): ChatEvent[] =>
      receiver.received
        .map(({ body, headers }) => signed.verify(body, headers as Record<string, string>) as ChatEvent)
        .filter(({ data }) => data.messageId === messageId),
    // the phone displays a message once its submit is done, which may be after its pushes
    phoneOf: async (to: string): Promise<object[]> => {
      let displayed: object[] = [];
      const ask = async (): Promise<number> => {
        displayed = (await p.get(`/v1/simulator/phones/${to}/messages`)).body['data'] as object[];
        return displayed.length;
      };
      await waitFor(async () => (await ask()) > 0, { otherwise: `nothing on phone ${to}` });
      return displayed;
    },
    [Symbol.asyncDispose]: () => p[Symbol.asyncDispose](),
  };
}

/** @returns the id of the message */
async function send(p: Pipeline, message: { to: string } & Record<string, unknown>): Promise<string> {
  const { status, headers, body } = await p.post('/v1/chatapp', { from: SENDER, ...message });
  expect([message, status, headers.get('ignored-fields') ?? 'document.caption']).toEqual([
    message,
    200,
    'document.caption',
  ]);
  expect(body).toMatchObject({
    data: [{ recipient: message.to, messageId: `${body['id']}:1` }],
    totalCount: 1,
    error: null,
  });
  return `${body['id']}:1`;
}
