import { expect, test } from '@jest/globals';
import type { OutgoingSms } from '@signalbox/gateways/sms-gateway';
import { SimulatorGateway } from '@signalbox/gateways/simulator/simulator.gateway';
import { describeOnEachQueue } from '../support/queue.ts';
import { startReceiver } from '../support/receiver.ts';
import { type Pipeline, startPipeline } from '../support/pipeline.ts';

const LINK = 'https://sgnl\\.example/s/[0-9A-Za-z]{12}';
const TARGETS = { shortenUrl: true, targetUrl: ['https://example.com/a', 'https://example.com/b'] };

/** The simulator, which also keeps what it was given. */
class WatchedSimulator extends SimulatorGateway {
  readonly given = new Map<string, OutgoingSms>();

  override submit(messages: OutgoingSms[]): ReturnType<SimulatorGateway['submit']> {
    for (const message of messages) this.given.set(message.messageId, message);
    return super.submit(messages);
  }
}

describeOnEachQueue((queue) => {
  test('each variant of spec 4.8 goes through worker, gateway and webhook, at its price', async () => {
    await using receiver = await startReceiver();
    const gateway = new WatchedSimulator({ delayMs: 10 });
    await using p = await startPipeline({ queue, gateway });
    await p.post('/v1/webhooks', {
      name: 'reports',
      endPoint: receiver.url,
      maxInFlight: 32,
      fields: ['messageCredit'],
    });
    const hello = await createTemplate(p, {
      name: 'hello',
      text: 'Hi {{1}}, order {{2}} is {{3}}: {{shortUrl}}',
      sender: 'SHOP',
    });
    const dlt = await createTemplate(p, {
      name: 'dlt',
      text: 'Rs {#var#} due',
      dltEntityId: '1101',
      dltTemplateId: '1107',
    });

    const expected = new Map<string, { credits: string; sms: object }>();
    const send = async (body: object, ...messages: { credits: number; sms: object }[]): Promise<void> => {
      const { body: answer } = await p.post('/v1/sms', {
        sender: 'SIGNALBX',
        to: '919800000100',
        type: 'TRANS',
        ...body,
      });
      expect(answer).toMatchObject({ error: null, totalCount: messages.length });
      messages.forEach(({ credits, sms }, i) =>
        expected.set(`${answer['id']}:${i + 1}`, { credits: String(credits), sms }),
      );
    };
    const two = ['919800000101', '919800000102'];

    await send(
      { text: 'Hello' },
      { credits: 1, sms: { text: 'Hello', encoding: 'GSM-7', messageClass: null, dlt: null } },
    );
    await send(
      { text: 'Your code is 483920.', type: 'OTP' },
      { credits: 1, sms: { text: 'Your code is 483920.' } },
    );
    await send(
      { to: two, text: '€'.repeat(160) },
      { credits: 3, sms: { encoding: 'GSM-7' } },
      { credits: 3, sms: { encoding: 'GSM-7' } },
    );
    await send({ text: 'नमस्ते '.repeat(11) }, { credits: 2, sms: { encoding: 'UCS-2' } });
    await send(
      { text: 'x'.repeat(160), unicode: 1 },
      { credits: 3, sms: { encoding: 'UCS-2', text: 'x'.repeat(160) } },
    );
    await send({ text: 'Hello', flash: 1 }, { credits: 1, sms: { messageClass: 0 } });
    await send(
      { text: 'Rs 42 due', templateId: dlt, type: 'PROMO' },
      { credits: 1, sms: { text: 'Rs 42 due', dlt: { entityId: '1101', templateId: '1107' } } },
    );
    await send(
      { templateId: dlt, custom: ['{#var#}'] },
      { credits: 1, sms: { text: 'Rs {#var#} due', sender: 'SIGNALBX' } },
    );
    const links = { text: expect.stringMatching(`^${LINK} ${LINK}$`) };
    await send(
      { to: two, text: '{{shortUrl1}} {{shortUrl2}}', shortenUrlData: TARGETS },
      { credits: 1, sms: links },
      { credits: 1, sms: links },
    );
    await send(
      {
        sender: undefined,
        to: two,
        templateId: hello,
        custom: [
          ['Ann', '7', 'x'.repeat(160)],
          ['Bea', '{{1}}', 'न'.repeat(70)],
        ],
        shortenUrlData: TARGETS,
      },
      {
        credits: 2,
        sms: {
          text: expect.stringMatching(`^Hi Ann, order 7 is x{160}: ${LINK}$`),
          encoding: 'GSM-7',
          sender: 'SHOP',
        },
      },
      {
        credits: 2,
        sms: {
          text: expect.stringMatching(`^Hi Bea, order \\{\\{1\\}\\} is न{70}: ${LINK}$`),
          encoding: 'UCS-2',
        },
      },
    );

    await receiver.until(() => receiver.messageIds().size === expected.size);
    const pushed = new Map(receiver.received.map(({ report }) => [report['messageId'], report]));
    for (const [messageId, { credits, sms }] of expected) {
      expect(pushed.get(messageId)).toMatchObject({ messageCredit: credits, status: 'Delivered' });
      expect(gateway.given.get(messageId)).toMatchObject(sms);
    }
  });
});

async function createTemplate(p: Pipeline, body: object): Promise<string> {
  return ((await p.post('/v1/sms/templates', body)).body['data'] as { id: string }).id;
}
