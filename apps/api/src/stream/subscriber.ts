import type { ServerResponse } from 'node:http';
import type { Caller } from '../auth/caller.ts';
import { breakOffWhenStalled } from '../http/stalled-answer.ts';

/** Bytes that a slow client may leave unread before its stream is cut. */
const MAX_UNREAD_BYTES = 64 * 1024;

/** One open stream. */
export class Subscriber {
  constructor(
    readonly caller: Caller,
    private readonly response: ServerResponse,
    /** Returns false once the key or the session of the stream has ended. */
    readonly isLive: () => Promise<boolean>,
    private readonly stallMs?: number,
  ) {}

  get isOperator(): boolean {
    return this.caller.scopes.includes('ops');
  }

  /** Sends one event. */
  send(event: string, data: object): void {
    this.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Sends a comment, which keeps proxies from closing the connection. */
  beat(): void {
    this.write(':\n\n');
  }

  /** Ends the stream. A client that does not read the rest is cut off, so that its stream no longer counts as open. */
  end(): void {
    if (this.response.writableEnded) return;
    this.response.end();
    breakOffWhenStalled(this.response, this.stallMs);
  }

  /** Cuts the stream of a client that does not read: it connects again, and reads its pages again. */
  private write(text: string): void {
    if (this.response.destroyed || this.response.writableEnded) return;
    if (this.response.writableLength > MAX_UNREAD_BYTES) this.response.destroy();
    else this.response.write(text);
  }
}
