import { setTimeout as wait } from 'node:timers/promises';
import { setting } from './command.ts';

const ATTEMPTS = 5;
const TIMEOUT_MS = 30_000;

/** A body to post, and the key under which repeats of the call count once. */
interface Post {
  body: object;
  idempotencyKey: string;
}

/** An answer of the API, or the failure; `retryAfterSeconds` is set when the call may be repeated. */
type Outcome<Answer> = { answer: Answer } | { failure: string; retryAfterSeconds: number | undefined };

/**
 * Calls the API of SIGNALBOX_URL with SIGNALBOX_API_KEY. Repeats what may succeed later.
 *
 * @throws Error with the message, code and request id of the last failure
 */
export async function callApi<Answer>(path: string, post?: Post): Promise<Answer> {
  const url = new URL(path, setting('SIGNALBOX_URL', 'name the API, as https://signalbox.example.com'));
  const apikey = setting('SIGNALBOX_API_KEY', 'it is the key that the call is made with.');
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await attemptCall<Answer>(url, apikey, post);
    if ('answer' in outcome) return outcome.answer;
    if (outcome.retryAfterSeconds === undefined || attempt === ATTEMPTS) throw new Error(outcome.failure);
    await wait(outcome.retryAfterSeconds * 1_000);
  }
}

async function attemptCall<Answer>(url: URL, apikey: string, post?: Post): Promise<Outcome<Answer>> {
  try {
    const response = await fetch(url, {
      headers: {
        apikey,
        ...(post && { 'content-type': 'application/json', 'idempotency-key': post.idempotencyKey }),
      },
      ...(post && { method: 'POST', body: JSON.stringify(post.body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return await readOutcome<Answer>(response);
  } catch (cause) {
    // The request may have arrived: a repeat under the same key is harmless.
    const reason =
      ((cause as Error).cause as NodeJS.ErrnoException | undefined)?.code ?? (cause as Error).message;
    return { failure: `${url.origin} does not answer: ${reason}`, retryAfterSeconds: 1 };
  }
}

interface Failure {
  error: { code: string; message: string; retryable: boolean; requestId: string };
}

async function readOutcome<Answer>(response: Response): Promise<Outcome<Answer>> {
  const body = (await response.json()) as Answer | Failure;
  if (response.ok) return { answer: body as Answer };
  const { code, message, retryable, requestId } = (body as Failure).error;
  const after = Number(response.headers.get('retry-after') ?? 1) || 1;
  return {
    failure: `${message}\n(${response.status} ${code}, request ${requestId})`,
    retryAfterSeconds: retryable ? after : undefined,
  };
}
