import type { ServerResponse } from 'node:http';

const STALL_MS = 20_000;

/**
 * Closes a streamed answer when its client reads nothing for 20 s. A stalled client would otherwise keep the
 * source of the stream open and delay a drain.
 */
export function breakOffWhenStalled(response: ServerResponse, stallMs = STALL_MS): void {
  response.setTimeout(stallMs, () => response.destroy());
}
