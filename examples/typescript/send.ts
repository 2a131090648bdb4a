// Sends one SMS to one or more numbers, and prints the id of each message.
//
//   node examples/typescript/send.ts 919800000100,919800000101 "Your order has shipped."
import { randomUUID } from 'node:crypto';
import { sendSms } from '@signalbox/client';
import { client, requireUsage, run, untilAnswered } from './signalbox.ts';

const [to = '', text = ''] = process.argv.slice(2);
requireUsage(to !== '' && text !== '', 'node send.ts <number>[,<number>…] <text>');

run(async () => {
  const headers = { 'Idempotency-Key': randomUUID() };
  const body = { sender: 'SIGNALBX', to, text, type: 'TRANS' as const };
  const sent = await untilAnswered(() => sendSms({ client, headers, body }));
  for (const message of sent.data)
    if ('messageId' in message) console.log(`${message.recipient} ${message.messageId}`);
});
