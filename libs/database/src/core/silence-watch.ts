const TICK_MS = 100;
const PING_EVERY_MS = 500;

/** Ticks without a byte from Postgres after which it is silent: a ping was sent for at least two thirds of them. */
const SILENT_AFTER_TICKS = 15;

/** Ticks for which a connection was quiet that broke with a line: the line's last answer may be a ping older. */
const BROKEN_AFTER_TICKS = SILENT_AFTER_TICKS - PING_EVERY_MS / TICK_MS - 1;

/** Ticks for which a statement waits before a commit is tried. */
const TRY_AFTER_TICKS = 5;

/** Ticks for which that commit waits before Postgres counts as one that commits nothing. */
const STUCK_AFTER_TICKS = 10;

/**
 * Milliseconds after which such a commit is given up: each time twice as many, so that another host is found soon, and
 * few are given up in an hour. Postgres keeps a process for each until it commits again.
 */
const COMMIT_PATIENCE_MS = { first: 2_000, most: 120_000 };

/** A connection that is watched. */
export interface Watched {
  /** Bytes that came from Postgres so far. */
  readonly bytesRead: number;
  /** True while a statement has no answer. */
  readonly isWaiting: boolean;
  /** Ends the connection and fails its pending statements. With a reason, its host is left too. */
  breakOff(reason?: Error): void;
}

/** The bytes that came on a connection, the ticks since the last of them, and those for which a statement waited. */
interface Reception {
  bytes: number;
  quietTicks: number;
  waitingTicks: number;
}

/** A connection that only the watch uses; bounded in its attempts to connect and in its statements. */
export interface PingLine extends Watched {
  connect(): Promise<unknown>;
  /** @throws when the server is a standby */
  requirePrimary(): void;
  ping(): Promise<unknown>;
  begin(): Promise<unknown>;
  /** Commits something to the log, as durably as an answered call. */
  commit(timeoutMs: number): Promise<unknown>;
  end(): Promise<void>;
}

const byUrl = new Map<string, SilenceWatch>();

/**
 * Notices within 1.6 s that Postgres answers nothing, breaks all connections, and refuses new ones until it answers a
 * ping. A Postgres that is only busy answers pings on a separate connection, the line. Time is counted in ticks of the
 * event loop, so that a process that was blocked does not blame Postgres. When only some connections lost their other
 * end, the line among them, a new line is answered: then those are broken that were quiet meanwhile.
 *
 * A Postgres that answers pings may still commit nothing, when its disk or a standby does not answer, or one of its
 * processes hangs. So while a statement waits for half a second, a commit is tried on one more connection, about twice
 * a second. One that waits for a second is treated as silence, until a commit succeeds.
 */
export class SilenceWatch {
  private readonly clients = new Set<Watched>();
  /** By connection, the lines included. */
  private readonly receptions = new Map<Watched, Reception>();
  private line: PingLine | undefined;
  private timer: NodeJS.Timeout | undefined;
  private quietTicks = 0;
  private silent = false;
  private isTrying = false;
  private trial: PingLine | undefined;
  private patienceMs = COMMIT_PATIENCE_MS.first;
  /** Ticks since a commit was tried that has no answer. */
  private commitTicks: number | undefined;
  private commitsNothing = false;

  private constructor(private readonly openLine: () => PingLine) {}

  /** Returns the watch of a database, which all pools of a process share. */
  static of(url: string, openLine: () => PingLine): SilenceWatch {
    let watch = byUrl.get(url);
    if (!watch) byUrl.set(url, (watch = new SilenceWatch(openLine)));
    return watch;
  }

  /** The reason to refuse a connection now. */
  get refusal(): Error | undefined {
    if (this.silent) return silence();
    return this.commitsNothing ? stuckCommits() : undefined;
  }

  /** Watches a client from its attempt to connect. */
  add(client: Watched): void {
    this.clients.add(client);
    this.receptions.set(client, newReception());
    if (this.timer) return;
    this.quietTicks = 0;
    this.timer = setInterval(() => this.tick(), TICK_MS).unref();
    void this.ping();
  }

  /** Forgets a client whose connection ended. The watch ends with the last of them. */
  remove(client: Watched): void {
    this.clients.delete(client);
    this.receptions.delete(client);
    if (this.clients.size > 0 || this.refusal) return;
    clearInterval(this.timer);
    this.timer = undefined;
    void this.line?.end();
  }

  private tick(): void {
    const heard = Array.from(this.receptions, ([each, reception]) => hear(each, reception)).some(Boolean);
    this.quietTicks = heard ? 0 : this.quietTicks + 1;
    if (this.quietTicks >= SILENT_AFTER_TICKS && !this.silent) this.break();
    const reception = this.line && this.receptions.get(this.line);
    if (!reception || (heard && reception.quietTicks >= SILENT_AFTER_TICKS)) void this.ping();
    this.watchCommits();
  }

  private watchCommits(): void {
    if (this.commitTicks !== undefined) this.commitTicks += 1;
    if (!this.commitsNothing && this.isCommitStuck()) {
      this.commitsNothing = true;
      for (const each of this.clients) each.breakOff(stuckCommits());
    }
    if (!this.isTrying && (this.commitsNothing || this.hasLongWait())) void this.tryCommit();
  }

  /** True when a commit has waited for a second, and Postgres has answered something since it was sent. */
  private isCommitStuck(): boolean {
    const { commitTicks = 0, quietTicks } = this;
    return commitTicks >= STUCK_AFTER_TICKS && quietTicks < commitTicks;
  }

  private hasLongWait(): boolean {
    return Array.from(this.clients).some(
      (each) => (this.receptions.get(each)?.waitingTicks ?? 0) >= TRY_AFTER_TICKS,
    );
  }

  private break(): void {
    this.silent = true;
    for (const each of this.receptions.keys()) each.breakOff(silence());
    this.trial?.breakOff(silence());
  }

  private breakQuiet(): void {
    for (const [each, { quietTicks }] of this.receptions)
      if (quietTicks >= BROKEN_AFTER_TICKS) each.breakOff();
  }

  /** Opens a line and pings Postgres until a ping fails or another line takes its place. */
  private async ping(): Promise<void> {
    const hasFormer = this.line !== undefined;
    const line = (this.line = this.openLine());
    this.receptions.set(line, newReception());
    try {
      await line.connect();
      line.requirePrimary();
      await line.ping();
      if (hasFormer) this.breakQuiet();
      while (this.timer && this.line === line) {
        this.silent = false;
        await pause(PING_EVERY_MS);
        await line.ping();
      }
    } catch {
      // the tick opens another
    }
    void line.end();
    this.receptions.delete(line);
    if (this.line === line) this.line = undefined;
  }

  /**
   * Tries a commit on a new connection, because an open one may be half-open, and pauses before the next one. Its bytes
   * do not count as heard: the connections in use may be half-open.
   */
  private async tryCommit(): Promise<void> {
    this.isTrying = true;
    const trial = (this.trial = this.openLine());
    try {
      await trial.connect();
      trial.requirePrimary();
      await trial.begin();
      this.commitTicks = 0;
      await trial.commit(this.patienceMs);
      this.commitsNothing = false;
      this.patienceMs = COMMIT_PATIENCE_MS.first;
    } catch {
      // the tick tries another
      if (this.commitTicks !== undefined)
        this.patienceMs = Math.min(2 * this.patienceMs, COMMIT_PATIENCE_MS.most);
    }
    this.commitTicks = undefined;
    this.trial = undefined;
    void trial.end();
    await pause(PING_EVERY_MS);
    this.isTrying = false;
  }
}

/** Waits without keeping the process alive. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

function newReception(): Reception {
  return { bytes: 0, quietTicks: 0, waitingTicks: 0 };
}

/** Updates the reception of a connection. @returns true when bytes came since the last time */
function hear({ bytesRead, isWaiting }: Watched, reception: Reception): boolean {
  const isHeard = bytesRead > reception.bytes;
  reception.bytes = bytesRead;
  reception.quietTicks = isHeard ? 0 : reception.quietTicks + 1;
  reception.waitingTicks = isHeard || !isWaiting ? 0 : reception.waitingTicks + 1;
  return isHeard;
}

function silence(): Error {
  return Object.assign(new Error('Postgres does not answer'), { code: 'ETIMEDOUT' });
}

function stuckCommits(): Error {
  return Object.assign(new Error('Postgres answers, but commits nothing'), { code: 'ETIMEDOUT' });
}
