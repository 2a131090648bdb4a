/** Milliseconds between two lines of a queue. */
const EVERY_MS = 10_000;

/** Sums up the jobs that a queue does not take: a Redis without memory refuses thousands per second. */
export class LostJobLog {
  private rows = 0;
  private error: unknown;
  private lastAt = new Date();
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param write called for the first loss immediately, and then every 10 s with the rows lost since, if any, and the
   * time of the last loss
   */
  constructor(private readonly write: (rows: number, error: unknown, lastAt: Date) => void) {}

  /** Adds lost rows, with the error that lost them. */
  note(error: unknown, rows: number): void {
    this.rows += rows;
    this.error = error;
    this.lastAt = new Date();
    if (!this.timer) this.writeSum();
  }

  /** Writes what is not written yet. */
  close(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.rows > 0) this.write(this.rows, this.error, this.lastAt);
    this.rows = 0;
  }

  private writeSum(): void {
    this.timer = undefined;
    if (this.rows === 0) return;
    this.write(this.rows, this.error, this.lastAt);
    this.rows = 0;
    this.timer = setTimeout(() => this.writeSum(), EVERY_MS).unref();
  }
}
