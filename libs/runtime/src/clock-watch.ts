import type { Logger } from './logger.ts';

/** Milliseconds that two clocks may differ. Leases and deadlines are longer. */
const MAX_SKEW_MS = 5_000;

/** Logs when the clock of this host and that of Postgres begin to differ by more than MAX_SKEW_MS. */
export class ClockWatch {
  private isSkewed = false;

  /** @param now the clock of this host, in milliseconds */
  constructor(
    private readonly logger: Pick<Logger, 'error'>,
    private readonly now: () => number = Date.now,
  ) {}

  /** To be called before Postgres is asked for its time. Returns a function for its answer. */
  ask(): (postgresAt: Date) => void {
    const askedAt = this.now();
    return (postgresAt) => this.compare(postgresAt.getTime(), askedAt, this.now());
  }

  /** Postgres read its clock at some time between the question and the answer. */
  private compare(postgresAt: number, askedAt: number, answeredAt: number): void {
    const skewMs = postgresAt < askedAt ? postgresAt - askedAt : Math.max(0, postgresAt - answeredAt);
    const wasSkewed = this.isSkewed;
    this.isSkewed = Math.abs(skewMs) > MAX_SKEW_MS;
    if (this.isSkewed && !wasSkewed) this.logger.error({ skewMs }, 'clock.skewed');
  }
}
