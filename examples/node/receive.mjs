// Prints each delivery report and chat-app event once, after a check of the signature over the raw body.
//
//   WEBHOOK_SECRET=whsec_… node examples/node/receive.mjs [port]
// The secret is in the response that created the webhook. Needs Node 20 or newer and nothing else.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const [TOLERANCE_SECONDS, MAX_BODY_BYTES] = [300, 1024 * 1024];
const { WEBHOOK_SECRET = '' } = process.env;
if (!WEBHOOK_SECRET.startsWith('whsec_')) {
  console.error('Usage: WEBHOOK_SECRET=whsec_… node receive.mjs [port]');
  process.exit(1);
}
const key = Buffer.from(WEBHOOK_SECRET.slice('whsec_'.length), 'base64');
const seen = new Set(); // in production: a unique column, written in the transaction that handles the report

createServer((request, response) => {
  // A 2xx ends the push; anything else causes a retry.
  const answer = (status) => response.writeHead(status).end();
  receive(request).then(answer, () => answer(400));
}).listen(Number(process.argv[2] ?? 8080), '127.0.0.1', function () {
  console.log(`Listening on http://127.0.0.1:${this.address().port}`);
});

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
