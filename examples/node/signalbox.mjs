// Calls of the Signalbox API for the other examples of this folder. Needs Node 20 or newer and nothing else.
import { setTimeout as wait } from 'node:timers/promises';

const TRIES = 5;
const { SIGNALBOX_URL, SIGNALBOX_API_KEY } = process.env;
const url = SIGNALBOX_URL?.replace(/\/+$/, '');

/** Ends the program with its usage, or when the address or the key of the API is missing. */
export function requireUsage(isGiven, usage) {
  if (isGiven && SIGNALBOX_URL && SIGNALBOX_API_KEY) return;
  console.error(`Usage: SIGNALBOX_URL=… SIGNALBOX_API_KEY=… ${usage}`);
  process.exit(1);
}

/** A refused request, with the `error` of the answer. */
export class Refused extends Error {
  constructor(status, error) {
    super(`${status} ${error.code}: ${error.message} (request ${error.requestId})`);
    this.error = error;
  }
}

/**
 * Makes a call and returns the body of its answer. Tries again when that may help: the same idempotency key makes all
 * tries one send.
 */
export async function call(method, path, body, idempotencyKey) {
  for (let attempt = 1; ; attempt += 1) {
    const { answer, failure, retryAfterSeconds } = await tryOnce(method, path, body, idempotencyKey);
    if (answer) return answer;
    if (retryAfterSeconds === undefined || attempt === TRIES) throw failure;
    console.error(`${failure.message} (trying again in ${retryAfterSeconds} s)`);
    await wait(retryAfterSeconds * 1000);
  }
}

async function tryOnce(method, path, body, idempotencyKey) {
  const headers = { apikey: SIGNALBOX_API_KEY };
  if (body) headers['content-type'] = 'application/json';
  if (idempotencyKey) headers['idempotency-key'] = idempotencyKey;
  const request = {
    method,
    headers,
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  };
  try {
    const response = await fetch(url + path, request);
    const answer = await response.json();
    if (response.ok) return { answer };
    const failure = new Refused(response.status, answer.error);
    if (!answer.error.retryable) return { failure };
    return { failure, retryAfterSeconds: Number(response.headers.get('retry-after') ?? 1) };
  } catch (error) {
    // The request may have arrived: the key makes the repeat harmless.
    return { failure: new Error(`No answer: ${error.cause?.code ?? error.message}`), retryAfterSeconds: 1 };
  }
}
