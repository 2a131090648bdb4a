import type { IncomingMessage } from 'node:http';
import { answerClientError } from './client-errors.ts';

const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/**
 * Answers a request with 408 unless its body arrives in time. Node's own limit is that of uploads, which may take
 * longer.
 */
export function expectBodyWithin(request: IncomingMessage, timeoutMs: number): void {
  const timer = setTimeout(() => {
    if (request.complete || request.destroyed) return;
    answerClientError(
      Object.assign(new Error('the body did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
      request.socket,
    );
  }, timeoutMs);
  timers.set(request, timer.unref());
  // A request that is answered without its body being read closes as well; its timer would keep it in memory.
  request.once('close', () => clearTimeout(timer));
}

/** Stops the timer of `expectBodyWithin`. */
export function bodyArrived(request: IncomingMessage): void {
  clearTimeout(timers.get(request));
}
