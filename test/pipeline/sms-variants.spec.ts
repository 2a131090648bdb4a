import { expect, test } from '@jest/globals';
import type { OutgoingSms } from '@signalbox/gateways/sms-gateway';
import type { SubmitOptions } from '@signalbox/gateways/gateway';
import { SimulatorGateway } from '@signalbox/gateways/simulator/simulator.gateway';
import { A_QUEUE, type QueueBackend } from '../support/queue.ts';
import { startReceiver } from '../support/receiver.ts';
import { startPipeline } from '../support/pipeline.ts';

const LINK = 'https://sgnl\\.example/s/[0-9A-Za-z]{12}';
const TARGETS = { shortenUrl: true, targetUrl: ['https://example.com/a', 'https://example.com/b'] };

/** A send, and its messages as they are priced and submitted. */
interface Variant {
  body: object;
  messages: { credits: number; sms: object }[];
}

const TWO = ['919800000101', '919800000102'];
const TEXTS: Variant[] = [
  {
    body: { text: 'Hello' },
    messages: [{ credits: 1, sms: { text: 'Hello', encoding: 'GSM-7', messageClass: null, dlt: null } }],
  },
  {
    body: { text: 'Your code is 483920.', type: 'OTP' },
    messages: [{ credits: 1, sms: { text: 'Your code is 483920.' } }],
  },
  {
    body: { to: TWO, text: '€'.repeat(160) },
    messages: [
      { credits: 3, sms: { encoding: 'GSM-7' } },
      { credits: 3, sms: { encoding: 'GSM-7' } },
    ],
  },
  { body: { text: 'नमस्ते '.repeat(11) }, messages: [{ credits: 2, sms: { encoding: 'UCS-2' } }] },
  {
    body: { text: 'x'.repeat(160), unicode: 1 },
    messages: [{ credits: 3, sms: { encoding: 'UCS-2', text: 'x'.repeat(160) } }],
  },
  { body: { text: 'Hello', flash: 1 }, messages: [{ credits: 1, sms: { messageClass: 0 } }] },
];

const ONLY_LINKS = { text: expect.stringMatching(`^${LINK} ${LINK}$`) };
const LINKS: Variant = {
  body: { to: TWO, text: '{{shortUrl1}} {{shortUrl2}}', shortenUrlData: TARGETS },
  messages: [
    { credits: 1, sms: ONLY_LINKS },
    { credits: 1, sms: ONLY_LINKS },
  ],
};

/** The simulator, which also records the messages submitted to it. */
class RecordingSimulator extends SimulatorGateway {
  readonly submitted = new Map<string, OutgoingSms>();

  override submit(messages: OutgoingSms[], options: SubmitOptions): ReturnType<SimulatorGateway['submit']> {
    for (const message of messages) this.submitted.set(message.messageId, message);
    return super.submit(messages, options);
  }
}

test('each variant of an SMS is submitted and pushed with its text, encoding and price', async () => {
  await using t = await setup(A_QUEUE);
  const variants = [...TEXTS, LINKS, ...dltVariants(await t.createDlt()), greeting(await t.createHello())];

  const expected = new Map<string, { credits: number; sms: object }>();
  for (const { body, messages } of variants) {
    const id = await t.send(body, messages.length);
    for (const [i, message] of messages.entries()) expected.set(`${id}:${i + 1}`, message);
  }

  await t.receiver.until(() => t.receiver.messageIds().size === expected.size);
  const pushed = new Map(t.receiver.received.map(({ report }) => [report['messageId'], report]));
  for (const [messageId, { credits, sms }] of expected) {
    expect(pushed.get(messageId)).toMatchObject({ messageCredit: String(credits), status: 'Delivered' });
    expect(t.gateway.submitted.get(messageId)).toMatchObject(sms);
  }
});

function dltVariants(templateId: string): Variant[] {
  return [
    {
      body: { text: 'Rs 42 due', templateId, type: 'PROMO' },
      messages: [{ credits: 1, sms: { text: 'Rs 42 due', dlt: { entityId: '1101', templateId: '1107' } } }],
    },
    {
      body: { templateId, custom: ['{#var#}'] },
      messages: [{ credits: 1, sms: { text: 'Rs {#var#} due', sender: 'SIGNALBX' } }],
    },
  ];
}

/** A template with values for each recipient; a value is not read as a placeholder. */
function greeting(templateId: string): Variant {
  const custom = [
    ['Ann', '7', 'x'.repeat(160)],
    ['Bea', '{{1}}', 'न'.repeat(70)],
  ];
  const ann = {
    text: expect.stringMatching(`^Hi Ann, order 7 is x{160}: ${LINK}$`),
    encoding: 'GSM-7',
    sender: 'SHOP',
  };
  const bea = {
    text: expect.stringMatching(`^Hi Bea, order \\{\\{1\\}\\} is न{70}: ${LINK}$`),
    encoding: 'UCS-2',
  };
  return {
    body: { sender: undefined, to: TWO, templateId, custom, shortenUrlData: TARGETS },
    messages: [
      { credits: 2, sms: ann },
      { credits: 2, sms: bea },
    ],
  };
}

async function setup(queue: QueueBackend) {
  await using started = new AsyncDisposableStack();
  const receiver = started.use(await startReceiver());
  const gateway = new RecordingSimulator({ delayMs: 10 });
  const p = started.use(await startPipeline({ queue, gateway }));
  const webhook = { name: 'reports', endPoint: receiver.url, maxInFlight: 32, fields: ['messageCredit'] };
  await p.post('/v1/webhooks', webhook);
  const createTemplate = async (template: object): Promise<string> =>
    ((await p.post('/v1/sms/templates', template)).body['data'] as { id: string }).id;
  const all = started.move();
  return {
    receiver,
    gateway,
    createHello: () =>
      createTemplate({ name: 'hello', text: 'Hi {{1}}, order {{2}} is {{3}}: {{shortUrl}}', sender: 'SHOP' }),
    createDlt: () =>
      createTemplate({ name: 'dlt', text: 'Rs {#var#} due', dltEntityId: '1101', dltTemplateId: '1107' }),
    /** @returns the id of the submission */
    send: async (body: object, totalCount: number): Promise<string> => {
      const sms = { sender: 'SIGNALBX', to: '919800000100', type: 'TRANS', ...body };
      const { body: answer } = await p.post('/v1/sms', sms);
      expect(answer).toMatchObject({ error: null, totalCount });
      return answer['id'] as string;
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
