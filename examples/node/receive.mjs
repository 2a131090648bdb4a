// Prints each delivery report and chat-app event once, after a check of the signature over the raw body.
//   WEBHOOK_SECRET=whsec_… node examples/node/receive.mjs [port]
// The secret is in the response that created the webhook. Needs Node 20 or newer and nothing else.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const [TOLERANCE_SECONDS, MAX_BODY_BYTES] = [300, 1024 * 1024];
const { WEBHOOK_SECRET = '' } = process.env;
const port = Number(process.argv[2] ?? 8080);
const fail = (text) => {
  console.error(text);
  process.exit(1);
};
if (!WEBHOOK_SECRET.startsWith('whsec_')) fail('Usage: WEBHOOK_SECRET=whsec_… node receive.mjs [port]');
const key = Buffer.from(WEBHOOK_SECRET.slice('whsec_'.length), 'base64');
const seen = new Set(); // in production: a unique column, written in the transaction that handles the report

const server = createServer(async (request, response) => {
  const status = await receive(request).catch(() => 400);
  response.writeHead(status).end(); // a 2xx ends the push; anything else causes a retry
});
server.on('error', ({ message }) => fail(`${message}. Name another port.`));
server.listen(port, '127.0.0.1', () => console.log(`Listening on http://127.0.0.1:${server.address().port}`));

async function receive(request) {
  let body = Buffer.alloc(0);
  for await (const chunk of request) {
    body = Buffer.concat([body, chunk]);
    if (body.length > MAX_BODY_BYTES) return 413;
  }
  // A POST signs its body, a GET its path and query.
  const isGet = request.method === 'GET';
  if (!isSigned(request.headers, isGet ? request.url : body)) return 401;
  const { searchParams } = new URL(request.url, 'http://localhost');
  const call = isGet ? Object.fromEntries(searchParams) : JSON.parse(body);
  // A batch is an array, and each report in it has its own id.
  const reports = Array.isArray(call) ? call : [{ id: request.headers['webhook-id'], body: call }];
  for (const { id, body: report } of reports) {
    if (!seen.has(id)) console.log(lineOf(report));
    seen.add(id);
  }
  return 204;
}

/** The report of an SMS, or the event of a chat-app message. */
function lineOf({ type, data, ...report }) {
  if (type) return `${type} ${data.messageId} ${data.from} > ${data.to} ${data.status}`;
  const { messageId, mobileNumber, status, errCode, statusDescription } = report;
  return `${messageId} ${mobileNumber} ${status} ${errCode} ${statusDescription}`;
}

/** Returns true when one of the signatures is valid and the call is not an old one. */
function isSigned(headers, payload) {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures = '' } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(at)) <= TOLERANCE_SECONDS)) return false;
  const digest = createHmac('sha256', key).update(`${id}.${at}.`).update(payload).digest('base64');
  const expected = Buffer.from(`v1,${digest}`);
  const given = signatures.split(' ').map((each) => Buffer.from(each));
  return given.some((each) => each.length === expected.length && timingSafeEqual(each, expected));
}
