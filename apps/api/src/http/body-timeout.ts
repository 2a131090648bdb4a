import type { IncomingMessage } from 'node:http';
import { answerClientError } from './client-errors.ts';

const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/** Answers a request whose body is not there in time with 408. Node's own limit is that of uploads, which may take longer. */
export function expectBodyWithin(request: IncomingMessage, timeoutMs: number): void {
  const timer = setTimeout(() => {
    if (request.complete || request.destroyed) return;
    answerClientError(
      Object.assign(new Error('the body did not come in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
      request.socket,
    );
  }, timeoutMs);
  timers.set(request, timer.unref());
}

/** The body is there. */
export function bodyHasCome(request: IncomingMessage): void {
  clearTimeout(timers.get(request));
}
