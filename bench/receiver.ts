import { once } from 'node:events';
import { type Socket, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

/** Counts of the receiver since its last reset. */
export interface Receipts {
  count: number;
  /** When the last call came, as `Date.now()`. */
  lastAt: number;
  /**
   * From the generation of a message's id, at its acceptance, to its webhook call, since the last reset of the
   * latencies; undefined before the first.
   */
  p50Ms: number | undefined;
  p99Ms: number | undefined;
}

const MESSAGE_ID = '"messageId":"';
const HEAD_END = '\r\n\r\n';
const LENGTH = 'content-length: ';
const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

/** Highest latency that is counted as it is; slower calls count as this. */
const SLOWEST_MS = 120_000;

/**
 * The endpoint of the bench's webhook: counts the reports and returns 200 immediately. It reads bare sockets, so that
 * it takes little of the machine.
 */
export class Receiver {
  count = 0;
  private lastAt = 0;
  /** Reports in `latencies`. */
  private timed = 0;
  private readonly latencies = new Uint32Array(SLOWEST_MS + 1);
  private readonly onCall: (count: number) => void;

  /** @param onCall called with the count after each batch of calls */
  private constructor(onCall: (count: number) => void) {
    this.onCall = onCall;
  }

  /** Listens on a free port. */
  static async listen(onCall: (count: number) => void): Promise<{ receiver: Receiver; url: string }> {
    const receiver = new Receiver(onCall);
    const server = createServer({ noDelay: true }, (socket) => receiver.serve(socket));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return { receiver, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/reports` };
  }

  receipts(): Receipts {
    const { count, lastAt } = this;
    return { count, lastAt, p50Ms: this.percentile(0.5), p99Ms: this.percentile(0.99) };
  }

  reset(): void {
    this.count = 0;
    this.resetLatencies();
  }

  resetLatencies(): void {
    this.timed = 0;
    this.latencies.fill(0);
  }

  private serve(socket: Socket): void {
    let rest: Buffer | undefined;
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      const bytes = rest ? Buffer.concat([rest, chunk]) : chunk;
      const { calls, end } = this.read(bytes);
      rest = end < bytes.length ? bytes.subarray(end) : undefined;
      if (calls === 0) return;
      socket.write(ANSWER.repeat(calls), 'latin1');
      this.onCall(this.count);
    });
  }

  /** Reads the complete calls of a buffer. @returns their number, and where they end */
  private read(bytes: Buffer): { calls: number; end: number } {
    let from = 0;
    for (let calls = 0; ; calls += 1) {
      const headEnd = bytes.indexOf(HEAD_END, from, 'latin1');
      if (headEnd < 0) return { calls, end: from };
      const bodyAt = headEnd + HEAD_END.length;
      const end = bodyAt + contentLength(bytes, from, headEnd);
      if (end > bytes.length) return { calls, end: from };
      this.receive(bytes, bodyAt, end);
      from = end;
    }
  }

  /** Counts the reports of a call: one, or those of a batch. */
  private receive(bytes: Buffer, bodyAt: number, end: number): void {
    this.lastAt = Date.now();
    for (let at = bytes.indexOf(MESSAGE_ID, bodyAt, 'latin1'); at >= 0 && at < end; ) {
      this.count += 1;
      const latencyMs = this.lastAt - acceptedAt(bytes, at + MESSAGE_ID.length);
      this.latencies[Math.min(Math.max(latencyMs, 0), SLOWEST_MS)]! += 1;
      this.timed += 1;
      at = bytes.indexOf(MESSAGE_ID, at + MESSAGE_ID.length, 'latin1');
    }
  }

  private percentile(share: number): number | undefined {
    if (this.timed === 0) return undefined;
    let left = share * this.timed;
    return this.latencies.findIndex((calls) => (left -= calls) <= 0);
  }
}

function contentLength(bytes: Buffer, from: number, headEnd: number): number {
  const at = bytes.indexOf(LENGTH, from, 'latin1');
  return at < 0 || at > headEnd
    ? 0
    : Number.parseInt(bytes.toString('latin1', at + LENGTH.length, at + LENGTH.length + 9), 10);
}

/** A message id begins with a UUIDv7, and that with 48 bits of Unix milliseconds. */
function acceptedAt(bytes: Buffer, at: number): number {
  return Number.parseInt(
    bytes.toString('latin1', at, at + 8) + bytes.toString('latin1', at + 9, at + 13),
    16,
  );
}
