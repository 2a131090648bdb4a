import type { ServerResponse } from 'node:http';

const STALL_MS = 20_000;

/**
 * Closes an answer when its client reads nothing for 20 s. A stalled client would otherwise keep the answer, and the
 * source of a streamed one, for as long as its connection is open, and delay a drain.
 */
export function breakOffWhenStalled(response: ServerResponse, stallMs = STALL_MS): void {
  if (!response.writableFinished) response.setTimeout(stallMs, () => response.destroy());
}
