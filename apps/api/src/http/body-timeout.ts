import type { ServerResponse } from 'node:http';
import { answerClientError } from './client-errors.ts';

/**
 * Answers a request with 408 unless its body has arrived, or arrives in time. Node's own limit is that of uploads, which
 * may take longer.
 *
 * @param response the answer to the request
 */
export function expectBodyWithin(response: ServerResponse, timeoutMs: number): void {
  if (needsNoBody(response)) return;
  const { req: request } = response;
  const timer = setTimeout(() => {
    if (needsNoBody(response)) return;
    answerClientError(
      Object.assign(new Error('the body did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
      request.socket,
    );
  }, timeoutMs).unref();
  // A request that is answered without its body being read closes as well; its timer would keep it in memory.
  request.once('close', () => clearTimeout(timer));
}

/** True once a body has arrived, or is no longer needed. */
function needsNoBody({ req: { complete, destroyed }, writableEnded }: ServerResponse): boolean {
  return complete || destroyed || writableEnded;
}
