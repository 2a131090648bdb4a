// Creates a chat-app template, waits for its review, sends it, and prints the status of the message.
// The chat account 100001 and its number 15550100001 are those of the demo account.
//
//   node examples/node/chat-template.mjs 919800000100 Asha
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { call, requireUsage } from './signalbox.mjs';

const TEMPLATE = {
  name: 'example_shipped',
  category: 'UTILITY',
  language: 'en',
  chatAccountId: '100001',
  components: [
    { type: 'BODY', text: 'Hi {{1}}, your order is on its way.', example: { body_text: [['Asha']] } },
  ],
};

const [to, name] = process.argv.slice(2);
requireUsage(to && name, 'node chat-template.mjs <number> <name>');

try {
  await createTemplate();
  const components = { body: { params: [name] } };
  const message = { from: '15550100001', to, type: 'template', templateName: TEMPLATE.name, components };
  const { data } = await call('POST', '/v1/chatapp', message, randomUUID());
  const { messageId } = data[0];
  await until(`/v1/messages/${messageId}`, ({ status }) => !['Pending', 'Sent'].includes(status), messageId);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

/** Creates the template, if it does not exist, and waits for its review. */
async function createTemplate() {
  const { data } = await call(
    'GET',
    `/v1/chatapp/chatTemplateList?name=${TEMPLATE.name}&chatAccountId=100001`,
  );
  let id = data[0]?.id;
  if (!id) ({ id } = await call('POST', '/v1/chatapp/createChatTemplate', TEMPLATE, randomUUID()));
  await until(`/v1/chatapp/getChatTemplate?id=${id}`, ({ status }) => status !== 'Pending', TEMPLATE.name);
}

/** Reads once a second, and prints the status, until it is one of those awaited. */
async function until(path, isDone, label) {
  for (;;) {
    const { data } = await call('GET', path);
    console.log(`${label} ${data.status}`);
    if (isDone(data)) return;
    await wait(1_000);
  }
}
