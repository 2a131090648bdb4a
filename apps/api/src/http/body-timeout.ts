import type { IncomingMessage } from 'node:http';
import { answerClientError } from './client-errors.ts';

/**
 * Answers a request with 408 unless its body has arrived, or arrives in time. Node's own limit is that of uploads, which
 * may take longer.
 */
export function expectBodyWithin(request: IncomingMessage, timeoutMs: number): void {
  if (hasEnded(request)) return;
  const timer = setTimeout(() => {
    if (hasEnded(request)) return;
    answerClientError(
      Object.assign(new Error('the body did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
      request.socket,
    );
  }, timeoutMs).unref();
  // A request that is answered without its body being read closes as well; its timer would keep it in memory.
  request.once('close', () => clearTimeout(timer));
}

/** A request that never came over a socket is never complete, but is read to its end. */
function hasEnded({ complete, readableEnded, destroyed }: IncomingMessage): boolean {
  return complete || readableEnded || destroyed;
}
