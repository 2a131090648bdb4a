// Receives delivery reports and chat-app events, checks their Standard Webhooks signature, and prints each once.
//
//   WEBHOOK_SECRET=whsec_… node examples/receive-reports.mjs [port]
//
// The secret is in the response that created the webhook. Needs Node 20 or newer and nothing else.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const TOLERANCE_SECONDS = 300;
const MAX_BODY_BYTES = 64 * 1024;

const { WEBHOOK_SECRET = '' } = process.env;
if (!WEBHOOK_SECRET.startsWith('whsec_')) {
  console.error('Usage: WEBHOOK_SECRET=whsec_… node receive-reports.mjs [port]');
  process.exit(1);
}
const key = Buffer.from(WEBHOOK_SECRET.slice('whsec_'.length), 'base64');

/** In production: a unique column, written in the transaction that handles the report. */
const seen = new Set();

const server = createServer((request, response) => void receive(request, response));
server.listen(Number(process.argv[2] ?? 8080), '127.0.0.1', () =>
  console.log(`Listening on http://127.0.0.1:${server.address().port}`),
);

async function receive(request, response) {
  try {
    const body = await readBody(request);
    // A POST signs its body, a GET its path and query.
    if (!isSigned(request.headers, request.method === 'GET' ? request.url : body))
      return answer(response, 401);
    const report =
      request.method === 'GET'
        ? Object.fromEntries(new URL(request.url, 'http://localhost').searchParams)
        : JSON.parse(body);
    const id = request.headers['webhook-id'];
    if (!seen.has(id)) console.log(report.type ? eventLine(report) : reportLine(report));
    seen.add(id);
    answer(response, 204);
  } catch (error) {
    console.error(error.message);
    answer(response, 400);
  }
}

function reportLine({ messageId, mobileNumber, status, errCode, statusDescription }) {
  return `${messageId} ${mobileNumber} ${status} ${errCode} ${statusDescription}`;
}

/** An event of a chat-app message, from a webhook with the channel chatapp. */
function eventLine({ type, data }) {
  return `${type} ${data.messageId} ${data.from} > ${data.to} ${data.status} ${data.statusDescription ?? data.text?.body ?? ''}`;
}

/** Returns true when one of the signatures is valid and the call is not an old one. */
function isSigned(headers, payload) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (!id || !timestamp || !signatures) return false;
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS)) return false;
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${payload}`).digest();
  return signatures.split(' ').some((signature) => {
    const [version, value = ''] = signature.split(',');
    const given = Buffer.from(value, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}

async function readBody(request) {
  const chunks = [];
  let sizeBytes = 0;
  for await (const chunk of request) {
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_BODY_BYTES) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** A 2xx ends the push; anything else causes a retry. */
function answer(response, status) {
  response.writeHead(status).end();
}
