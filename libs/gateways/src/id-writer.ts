import type { GatewayMessageId } from './gateway-ids.ts';
import type { Clock } from './smpp/clock.ts';

const MAX_ROWS = 1_000;
const FIRST_REPEAT_MS = 100;
const MAX_REPEAT_MS = 2_000;
/** Time for the last rows when the gateway closes. */
const CLOSE_MS = 5_000;

/** Rows of one insert, and what is called when they are durable. */
interface Waiting {
  rows: GatewayMessageId[];
  done: (() => void)[];
}

/**
 * Stores the gateway's ids of messages that it has taken: one insert at a time, each with all rows that wait. An insert
 * that fails is repeated until it succeeds, since its messages are taken already, or until the gateway closes.
 */
export class IdWriter {
  private waiting: Waiting[] = [];
  private running: Promise<void> | undefined;
  private isClosed = false;
  private wake: () => void = () => undefined;

  constructor(
    private readonly insert: (rows: GatewayMessageId[]) => Promise<void>,
    private readonly clock: Clock,
    /** Is called for each insert that fails. */
    private readonly onFailure: (error: unknown, rows: number) => void,
  ) {}

  /** Stores rows; `done` is called when they are durable, and never when the writer closes first. */
  add(rows: readonly GatewayMessageId[], done: () => void): void {
    const last = this.waiting.at(-1);
    const batch = last && last.rows.length + rows.length <= MAX_ROWS ? last : this.startBatch();
    for (const row of rows) batch.rows.push(row);
    batch.done.push(done);
    this.running ??= this.run();
  }

  /** Resolves when the rows that were added before are durable; never when the writer closes first. */
  async stored(): Promise<void> {
    if (!this.running) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.add([], resolve);
    await promise;
  }

  /** Resolves when all rows are stored, or after 5 s, and drops those that are not stored by then. */
  async close(): Promise<void> {
    if (!this.running) return;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const cancel = this.clock.after(CLOSE_MS, resolve);
    await Promise.race([this.running, late]);
    cancel();
    this.isClosed = true;
    this.wake();
  }

  /** Rows of one tick share the first insert. Ends in the microtask that finds no more rows, so that none is left. */
  private async run(): Promise<void> {
    await new Promise(setImmediate);
    while (this.waiting.length > 0 && !this.isClosed) {
      const { rows, done } = this.waiting.shift()!;
      if (rows.length > 0 && !(await this.store(rows))) break;
      for (const each of done) each();
    }
    this.running = undefined;
  }

  /** @returns false when the writer closed before the rows were stored */
  private async store(rows: GatewayMessageId[]): Promise<boolean> {
    for (let delayMs = FIRST_REPEAT_MS; !this.isClosed; delayMs = Math.min(delayMs * 2, MAX_REPEAT_MS)) {
      try {
        await this.insert(rows);
        return true;
      } catch (error) {
        this.onFailure(error, rows.length);
        await this.pause(delayMs);
      }
    }
    return false;
  }

  private async pause(delayMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.wake = resolve;
    const cancel = this.clock.after(delayMs, resolve);
    await promise;
    cancel();
  }

  private startBatch(): Waiting {
    const batch: Waiting = { rows: [], done: [] };
    this.waiting.push(batch);
    return batch;
  }
}
