import { newReport } from '@signalbox/database/reports/gateway-reports';
import { type NewReport, insertReports } from '@signalbox/database/reports/reports';
import type { GatewayReport } from '@signalbox/domain/routing/submit-outcome';
import type { Bell } from '@signalbox/runtime/bell';
import { GroupCommit } from '@signalbox/runtime/group-commit';
import type { Logger } from '@signalbox/runtime/logger';
import type { EntityManager } from 'typeorm';

const MAX_BATCH = 1_000;
const MAX_WAITING = 100_000;

/**
 * Takes in what gateways report. A report is on disk before its gateway is told so, and only then is the bell rung;
 * reports that arrive meanwhile share the next statement.
 */
export class ReportIntake {
  private readonly commit: GroupCommit<NewReport[], undefined>;

  /** @param durable a connection whose commits wait for the disk */
  constructor(
    durable: EntityManager,
    private readonly bell: Bell,
    private readonly logger: Logger,
  ) {
    this.commit = new GroupCommit(
      async (batches) => {
        await insertReports(durable, batches.flat());
        return batches.map(() => undefined);
      },
      { maxBatch: MAX_BATCH, maxWaiting: MAX_WAITING, weigh: (reports) => reports.length },
    );
  }

  /**
   * Resolves when the reports are stored.
   *
   * @throws OverloadedError or what the database threw; the gateway repeats the reports later
   */
  async receive(gateway: string, reports: GatewayReport[]): Promise<void> {
    const stored = reports.flatMap((report) => this.toNewReport(gateway, report));
    if (stored.length === 0) return;
    await this.commit.add(stored);
    this.bell.ring(stored.map((report) => report.id));
  }

  /** Rings for reports that were stored elsewhere. */
  announce(reportIds: readonly string[]): void {
    this.bell.ring(reportIds);
  }

  /** Resolves when everything received before is stored. */
  close(): Promise<void> {
    return this.commit.close();
  }

  /** A report that names no message of ours in any form can never be matched: it is told of and goes no further. */
  private toNewReport(gateway: string, report: GatewayReport): NewReport[] {
    const stored = newReport(gateway, report);
    if (stored) return [stored];
    this.logger.warn({ gateway, messageId: report.messageId.slice(0, 100) }, 'report.unreadable');
    return [];
  }
}
