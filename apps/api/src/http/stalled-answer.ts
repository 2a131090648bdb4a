import type { ServerResponse } from 'node:http';

const STALL_MS = 20_000;

/**
 * Closes an answer when its client reads nothing for 20 s. Otherwise a stalled client would keep the answer in memory,
 * and the source of a stream open, for as long as its connection lasts, and would delay a drain. A client that has
 * read everything waits for as long as the source has nothing; the next bytes start the 20 s again.
 */
export function breakOffWhenStalled(response: ServerResponse, stallMs = STALL_MS): void {
  if (response.writableFinished) return;
  response.setTimeout(stallMs, () => {
    if (response.writableLength > 0) response.destroy();
  });
}
