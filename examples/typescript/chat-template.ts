// Creates a chat-app template, waits for its review, sends it, and prints the status of the message.
// The chat account 100001 and its number 15550100001 are those of the demo account.
//
//   node examples/typescript/chat-template.ts 919800000100 Asha
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { chatTemplateList, createChatTemplate, getChatTemplate } from '@signalbox/client';
import { getMessage, sendChatMessage } from '@signalbox/client';
import { client, requireUsage, run, untilAnswered } from './signalbox.ts';

const SAMPLE = { body_text: [['Asha']] };
const TEMPLATE = {
  name: 'example_shipped',
  category: 'UTILITY' as const,
  language: 'en',
  chatAccountId: 100_001,
  components: [{ type: 'BODY' as const, text: 'Hi {{1}}, your order is on its way.', example: SAMPLE }],
};

const [to = '', name = ''] = process.argv.slice(2);
requireUsage(to !== '' && name !== '', 'node chat-template.ts <number> <name>');

run(async () => {
  const id = (await findTemplate()) ?? (await createTemplate());
  await follow(TEMPLATE.name, ['Pending'], () => getChatTemplate({ client, query: { id } }));
  const headers = { 'Idempotency-Key': randomUUID() };
  const components = { body: { params: [name] } };
  const body = {
    from: '15550100001',
    to,
    type: 'template' as const,
    templateName: TEMPLATE.name,
    components,
  };
  const sent = await untilAnswered(() => sendChatMessage({ client, headers, body }));
  const messageId = `${sent.id}:1`;
  await follow(messageId, ['Pending', 'Sent'], () => getMessage({ client, path: { messageId } }));
});

async function findTemplate(): Promise<string | undefined> {
  const query = { name: TEMPLATE.name, chatAccountId: TEMPLATE.chatAccountId };
  return (await untilAnswered(() => chatTemplateList({ client, query }))).data[0]?.id;
}

async function createTemplate(): Promise<string> {
  const headers = { 'Idempotency-Key': randomUUID() };
  return (await untilAnswered(() => createChatTemplate({ client, headers, body: TEMPLATE }))).id ?? '';
}

type Read = Parameters<typeof untilAnswered<{ data: { status: string } }>>[0];

/** Reads once a second, and prints the status, until it is none of the unfinished ones. */
async function follow(label: string, unfinished: string[], read: Read): Promise<void> {
  for (;;) {
    const { status } = (await untilAnswered(read)).data;
    console.log(`${label} ${status}`);
    if (!unfinished.includes(status)) return;
    await wait(1_000);
  }
}
