// Sends one SMS to one or more numbers. It retries safely: a repeated request returns the first response, and nothing is sent twice.
//
//   SIGNALBOX_URL=http://127.0.0.1:3000 SIGNALBOX_API_KEY=sb_… node examples/send-sms.mjs 919812345678,919812345679 "Your order has shipped."
//
// Needs Node 20 or newer and nothing else.
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

const TRIES = 5;

const { SIGNALBOX_URL, SIGNALBOX_API_KEY } = process.env;
const [to, text] = process.argv.slice(2);
if (!SIGNALBOX_URL || !SIGNALBOX_API_KEY || !to || !text) {
  console.error('Usage: SIGNALBOX_URL=… SIGNALBOX_API_KEY=… node send-sms.mjs <number>[,<number>…] <text>');
  process.exit(1);
}

try {
  const sent = await sendSms({ sender: 'SIGNALBX', to, text, type: 'TRANS' });
  for (const { recipient, messageId } of sent.data) console.log(`${recipient} ${messageId}`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

/** Sends, and retries failures that may be temporary. One key for all attempts makes them one send. */
async function sendSms(sms) {
  const idempotencyKey = randomUUID();
  for (let attempt = 1; ; attempt += 1) {
    const { answer, retryAfterSeconds, failure } = await post('/v1/sms', sms, idempotencyKey);
    if (answer) return answer;
    if (retryAfterSeconds === undefined || attempt === TRIES) throw new Error(failure);
    console.error(`${failure} (trying again in ${retryAfterSeconds} s)`);
    await wait(retryAfterSeconds * 1000);
  }
}

/** Makes one call. Returns its answer, or the failure and, if it may be temporary, the seconds to wait. */
async function post(path, body, idempotencyKey) {
  let response;
  try {
    response = await fetch(SIGNALBOX_URL + path, {
      method: 'POST',
      headers: {
        apikey: SIGNALBOX_API_KEY,
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
  } catch (error) {
    // The request may have arrived: the key makes the repeat harmless.
    return { failure: `No answer: ${error.cause?.code ?? error.message}`, retryAfterSeconds: 1 };
  }
  const answer = await response.json();
  if (response.ok) return { answer };
  const { code, message, retryable, requestId } = answer.error;
  const retryAfterSeconds = retryable ? Number(response.headers.get('retry-after') ?? 1) : undefined;
  return { failure: `${response.status} ${code}: ${message} (request ${requestId})`, retryAfterSeconds };
}
