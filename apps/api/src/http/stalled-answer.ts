import type { ServerResponse } from 'node:http';

const STALL_MS = 20_000;

/**
 * Breaks a streamed answer off when its client takes nothing of it for 20 s: it would hold what the stream reads from, and a
 * process that drains, for as long as the client likes.
 */
export function breakOffWhenStalled(response: ServerResponse, stallMs = STALL_MS): void {
  response.setTimeout(stallMs, () => response.destroy());
}
