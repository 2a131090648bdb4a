import type { ServerResponse } from 'node:http';

const STALL_MS = 20_000;

/**
 * Closes an answer when its client reads nothing for 20 s. Otherwise a stalled client would keep the answer in memory,
 * and the source of a stream open, for as long as its connection lasts, and would delay a drain.
 */
export function breakOffWhenStalled(response: ServerResponse, stallMs = STALL_MS): void {
  if (!response.writableFinished) response.setTimeout(stallMs, () => response.destroy());
}
