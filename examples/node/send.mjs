// Sends one SMS to one or more numbers, and prints the id of each message.
//
//   node examples/node/send.mjs 919800000100,919800000101 "Your order has shipped."
import { randomUUID } from 'node:crypto';
import { call, requireUsage } from './signalbox.mjs';

const [to, text] = process.argv.slice(2);
requireUsage(to && text, 'node send.mjs <number>[,<number>…] <text>');

try {
  const sent = await call('POST', '/v1/sms', { sender: 'SIGNALBX', to, text, type: 'TRANS' }, randomUUID());
  for (const { recipient, messageId } of sent.data) console.log(`${recipient} ${messageId}`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
