// Prints each delivery report and chat-app event once, after a check of the signature over the raw body.
//
//   WEBHOOK_SECRET=whsec_… node examples/typescript/receive.ts [port]
import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ChatEvent, DeliveryReport } from '@signalbox/client';
import { WebhookSignatureError, readWebhook } from '@signalbox/client/webhooks';

const MAX_BODY_BYTES = 1024 * 1024;

const secret = process.env['WEBHOOK_SECRET'] ?? '';
if (!secret.startsWith('whsec_')) {
  console.error('Usage: WEBHOOK_SECRET=whsec_… node receive.ts [port]');
  process.exit(1);
}

/** In production: a unique column, written in the transaction that handles the report. */
const seen = new Set<string>();

const server = createServer((request, response) => {
  // A 2xx ends the push; anything else causes a retry.
  receive(request).then(
    () => response.writeHead(204).end(),
    (error: unknown) => response.writeHead(error instanceof WebhookSignatureError ? 401 : 400).end(),
  );
});
server.on('error', ({ message }) => {
  console.error(`${message}. Name another port.`);
  process.exit(1);
});
server.listen(Number(process.argv[2] ?? 8080), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.log(`Listening on http://127.0.0.1:${port}`);
});

async function receive(request: IncomingMessage): Promise<void> {
  const payload = await readBody(request);
  for (const { id, body } of await readWebhook({ secret, headers: request.headers, payload })) {
    if (!seen.has(id)) console.log(lineOf(body));
    seen.add(id);
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  let body = Buffer.alloc(0);
  for await (const chunk of request) {
    body = Buffer.concat([body, chunk as Buffer]);
    if (body.length > MAX_BODY_BYTES) throw new Error('the body is too large');
  }
  return body;
}

function lineOf(push: DeliveryReport | ChatEvent): string {
  if ('type' in push)
    return `${push.type} ${push.data.messageId} ${push.data.from} > ${push.data.to} ${push.data.status}`;
  const { messageId, mobileNumber, status, errCode, statusDescription } = push;
  return `${messageId} ${mobileNumber} ${status} ${errCode} ${statusDescription}`;
}
