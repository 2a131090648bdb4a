import { setTimeout as delay } from 'node:timers/promises';

const TICK_MS = 100;
const PING_EVERY_MS = 500;

/** Ticks without a byte from Postgres after which it is silent: a ping was sent for at least two thirds of them. */
const SILENT_AFTER_TICKS = 15;

/** A connection that is watched. */
export interface Watched {
  /** Bytes that came from Postgres so far. */
  readonly bytesRead: number;
  /** Ends the connection and fails its pending statements. */
  breakOff(reason: Error): void;
}

/** A connection that only the watch uses; bounded in its attempts to connect and in its statements. */
export interface PingLine extends Watched {
  connect(): Promise<unknown>;
  /** @throws when the server is a standby */
  requirePrimary(): void;
  ping(): Promise<unknown>;
  end(): Promise<void>;
}

const byUrl = new Map<string, SilenceWatch>();

/**
 * Notices within 1.6 s that Postgres answers nothing, breaks all connections, and refuses new ones until it answers a
 * ping. A Postgres that is only busy answers pings on a separate connection. Time is counted in ticks of the event
 * loop, so that a process that was blocked does not blame Postgres.
 */
export class SilenceWatch {
  private readonly clients = new Set<Watched>();
  private line: PingLine | undefined;
  private timer: NodeJS.Timeout | undefined;
  private received = 0;
  private quietTicks = 0;
  private silent = false;

  private constructor(private readonly openLine: () => PingLine) {}

  /** Returns the watch of a database, which all pools of a process share. */
  static of(url: string, openLine: () => PingLine): SilenceWatch {
    let watch = byUrl.get(url);
    if (!watch) byUrl.set(url, (watch = new SilenceWatch(openLine)));
    return watch;
  }

  /** The reason to refuse a connection now. */
  get refusal(): Error | undefined {
    return this.silent ? silence() : undefined;
  }

  /** Watches a client from its attempt to connect. */
  add(client: Watched): void {
    this.clients.add(client);
    if (this.timer) return;
    this.received = 0;
    this.quietTicks = 0;
    this.timer = setInterval(() => this.tick(), TICK_MS).unref();
    void this.ping();
  }

  /** Forgets a client whose connection ended. The watch ends with the last of them. */
  remove(client: Watched): void {
    this.clients.delete(client);
    if (this.clients.size > 0 || this.silent) return;
    clearInterval(this.timer);
    this.timer = undefined;
    void this.line?.end();
  }

  private tick(): void {
    const before = this.received;
    this.received = this.all().reduce((sum, { bytesRead }) => sum + bytesRead, 0);
    this.quietTicks = this.received > before ? 0 : this.quietTicks + 1;
    if (this.quietTicks >= SILENT_AFTER_TICKS && !this.silent) this.break();
    if (!this.line) void this.ping();
  }

  private break(): void {
    this.silent = true;
    for (const each of this.all()) each.breakOff(silence());
  }

  private all(): Watched[] {
    return this.line ? [...this.clients, this.line] : [...this.clients];
  }

  /** Opens the line and pings Postgres until one fails. */
  private async ping(): Promise<void> {
    const line = (this.line = this.openLine());
    try {
      await line.connect();
      line.requirePrimary();
      while (this.timer) {
        await line.ping();
        this.silent = false;
        await delay(PING_EVERY_MS, undefined, { ref: false });
      }
    } catch {
      // the tick opens another
    }
    void line.end();
    if (this.line === line) this.line = undefined;
  }
}

function silence(): Error {
  return Object.assign(new Error('Postgres does not answer'), { code: 'ETIMEDOUT' });
}
