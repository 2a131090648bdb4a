import { type Socket, connect } from 'node:net';
import { RECIPIENT, recipientOf } from './recipients.ts';

/** One POST, repeated. */
export interface Load {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Sent one after the other instead of `body`, over all connections. */
  bodies?: string[] | undefined;
  /** Sends `body` to another recipient each time. */
  toMany?: boolean | undefined;
  connections: number;
  seconds: number;
  /**
   * Closes the loop over the whole pipeline: maximum number of messages accepted or under way and not yet received.
   * By default each connection sends again as soon as it has its answer.
   */
  window?: number | undefined;
  /** Calls per second at most; unlimited by default. */
  perSecond?: number | undefined;
}

/** Result of a load. */
export interface LoadResult {
  ok: number;
  failed: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

/** A load stops waiting for the last answers after this many milliseconds. */
const LAST_ANSWERS_MS = 10_000;
const PACE_MS = 5;

/** Latencies by tenths of a millisecond; the last place counts all slower ones. */
const SLOWEST = 100_000;

/**
 * Sends HTTP requests over bare sockets, one at a time per connection: a client library would cost the machine more
 * than the server under test spends on the request.
 */
export class Generator {
  /** Messages received at the other end of the pipeline, as the owner last said. */
  private received = 0;
  private sent = 0;
  private ok = 0;
  private failed = 0;
  private isOver = true;
  private load: Load | undefined;
  private requests: Buffer[] = [];
  /** Calls to another recipient each, in all runs. */
  private readdressed = 0;
  private readonly latencies = new Uint32Array(SLOWEST + 1);
  private idle: Connection[] = [];
  private startedAt = 0;
  private ended: PromiseWithResolvers<void> | undefined;
  private stopped = Promise.withResolvers<void>();

  get accepted(): number {
    return this.ok;
  }

  /** Sends until the time is up or until `stop`, and resolves when all calls are answered. */
  async run(load: Load): Promise<LoadResult> {
    this.begin(load);
    const connections = Array.from({ length: load.connections }, () => new Connection(this, load.url));
    const pace = load.perSecond === undefined ? undefined : setInterval(() => this.release(), PACE_MS);
    const timer = setTimeout(this.stopped.resolve, load.seconds * 1000);
    await this.stopped.promise;
    clearTimeout(timer);
    const elapsed = (performance.now() - this.startedAt) / 1000;
    this.isOver = true;
    clearInterval(pace);
    await this.lastAnswers();
    for (const connection of connections) connection.close();
    const { ok, failed } = this;
    return { ok, failed, perSecond: ok / elapsed, p50Ms: this.percentile(0.5), p99Ms: this.percentile(0.99) };
  }

  /** Ends the current run early. */
  stop(): void {
    this.stopped.resolve();
  }

  /** Opens the window for messages that were received. */
  setReceived(count: number): void {
    this.received = count;
    this.release();
  }

  /** Offers a connection for the next request. */
  offer(connection: Connection): void {
    this.idle.push(connection);
    this.release();
  }

  withdraw(connection: Connection): void {
    const at = this.idle.indexOf(connection);
    if (at >= 0) this.idle.splice(at, 1);
  }

  /** Counts an answer; status 0 stands for a connection that broke before it. */
  count(status: number, sentAt: number): void {
    if (status >= 200 && status < 300) this.ok += 1;
    else this.failed += 1;
    this.latencies[Math.min(Math.round((performance.now() - sentAt) * 10), SLOWEST)]! += 1;
    if (this.isOver && this.ok + this.failed === this.sent) this.ended?.resolve();
  }

  private begin(load: Load): void {
    [this.sent, this.ok, this.failed, this.received, this.idle] = [0, 0, 0, 0, []];
    this.load = load;
    this.requests = (load.bodies ?? [load.body]).map((body) => requestOf(load, body));
    this.latencies.fill(0);
    this.stopped = Promise.withResolvers<void>();
    this.startedAt = performance.now();
    this.isOver = false;
  }

  private release(): void {
    while (this.idle.length > 0 && this.mayStart()) {
      const request = this.requests[this.sent % this.requests.length]!;
      this.sent += 1;
      this.idle.shift()!.send(this.load!.toMany ? this.readdress(request) : request);
    }
  }

  private readdress(request: Buffer): Buffer {
    const copy = Buffer.from(request);
    copy.write(recipientOf((this.readdressed += 1)), copy.lastIndexOf(RECIPIENT), 'latin1');
    return copy;
  }

  private mayStart(): boolean {
    const { window = Infinity, perSecond = Infinity } = this.load!;
    const due = (perSecond * (performance.now() - this.startedAt)) / 1000;
    return !this.isOver && this.sent < due && this.sent - this.failed - this.received < window;
  }

  private async lastAnswers(): Promise<void> {
    if (this.ok + this.failed >= this.sent) return;
    this.ended = Promise.withResolvers<void>();
    const timer = setTimeout(this.ended.resolve, LAST_ANSWERS_MS);
    await this.ended.promise;
    clearTimeout(timer);
  }

  private percentile(share: number): number {
    let left = share * (this.ok + this.failed);
    return this.latencies.findIndex((calls) => (left -= calls) <= 0) / 10;
  }
}

/** One connection, dialled again when the server closes it. */
class Connection {
  private readonly generator: Generator;
  private readonly url: URL;
  private socket: Socket;
  private rest: Buffer | undefined;
  private sentAt: number | undefined;
  private isClosed = false;

  constructor(generator: Generator, url: string) {
    this.generator = generator;
    this.url = new URL(url);
    this.socket = this.dial();
  }

  send(request: Buffer): void {
    this.sentAt = performance.now();
    this.socket.write(request);
  }

  close(): void {
    this.isClosed = true;
    this.socket.destroy();
  }

  private dial(): Socket {
    const socket = connect({ host: this.url.hostname, port: Number(this.url.port), noDelay: true });
    socket.on('connect', () => this.generator.offer(this));
    socket.on('data', (chunk) => this.read(chunk));
    socket.on('error', () => undefined); // `close` follows
    socket.on('close', () => this.closed());
    return socket;
  }

  private closed(): void {
    this.generator.withdraw(this);
    this.answered(0);
    this.rest = undefined;
    if (!this.isClosed) this.socket = this.dial();
  }

  private answered(status: number): void {
    if (this.sentAt === undefined) return;
    this.generator.count(status, this.sentAt);
    this.sentAt = undefined;
  }

  private read(chunk: Buffer): void {
    const bytes = this.rest ? Buffer.concat([this.rest, chunk]) : chunk;
    const headEnd = bytes.indexOf('\r\n\r\n');
    const head = headEnd < 0 ? '' : bytes.toString('latin1', 0, headEnd);
    if (headEnd < 0 || bytes.length < headEnd + 4 + contentLength(head)) {
      this.rest = bytes;
      return;
    }
    this.rest = undefined;
    this.answered(Number(head.slice(9, 12)));
    if (/\r\nconnection: *close/i.test(head)) this.socket.end();
    else this.generator.offer(this);
  }
}

function contentLength(head: string): number {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`an answer has no Content-Length: ${head}`);
  return Number(length);
}

function requestOf({ url, headers }: Load, body: string): Buffer {
  const { host, pathname, search } = new URL(url);
  const all = { host, ...headers, 'content-length': String(Buffer.byteLength(body)) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}
