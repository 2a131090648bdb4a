import { getOrInsert } from '@signalbox/domain/get-or-insert';
import type { Logger } from '@signalbox/runtime/logger';

const EVERY_MS = 60_000;

/**
 * Logs messages that gateways left without an answer: a line a minute for each gateway, with their number since the
 * last.
 */
export class UnansweredLog {
  private readonly gateways = new Map<string, { count: number; loggedAt: number }>();

  constructor(
    private readonly logger: Pick<Logger, 'warn'>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  note(gateway: string, count: number): void {
    if (count === 0) return;
    const of = getOrInsert(this.gateways, gateway, () => ({ count: 0, loggedAt: Number.NEGATIVE_INFINITY }));
    of.count += count;
    if (this.now() - of.loggedAt < EVERY_MS) return;
    this.logger.warn({ gateway, count: of.count }, 'submit.timed_out');
    of.count = 0;
    of.loggedAt = this.now();
  }
}
