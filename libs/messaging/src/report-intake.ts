import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { isRefusedValue } from '@signalbox/database/core/refused-value';
import { type NewReport, insertReports } from '@signalbox/database/reports/reports';
import type { GatewayReport } from '@signalbox/domain/routing/submit-outcome';
import { toStorableText } from '@signalbox/domain/sanitize';
import { Gateways } from '@signalbox/gateways/registry';
import { REPORT_QUEUE } from '@signalbox/queues/definitions';
import { Queues } from '@signalbox/queues/open-queues';
import { bisect } from '@signalbox/runtime/bisect';
import { GroupCommit } from '@signalbox/runtime/group-commit';
import { Logger } from '@signalbox/runtime/logger';
import { EntityManager } from 'typeorm';
import { toNewReport } from './gateway-reports.ts';
import { DURABLE } from './worker/worker.module.ts';

const MAX_BATCH = 1_000;
const MAX_WAITING = 100_000;

/**
 * Stores what gateways report. A report is on disk before its gateway gets the acknowledgement, and enqueued after that.
 * Reports that arrive meanwhile share the next statement.
 */
@Injectable()
export class ReportIntake {
  private readonly commit: GroupCommit<NewReport[], undefined>;

  constructor(
    @InjectEntityManager(DURABLE) private readonly durable: EntityManager,
    private readonly queues: Queues,
    gateways: Gateways,
    private readonly logger: Logger,
  ) {
    const store = async (batches: NewReport[][]): Promise<undefined[]> => {
      await this.insert(batches.flat());
      return batches.map(() => undefined);
    };
    const weigh = (reports: NewReport[]): number => reports.length;
    this.commit = new GroupCommit(store, { maxBatch: MAX_BATCH, maxWaiting: MAX_WAITING, weigh });
    for (const gateway of gateways.all) gateway.onReports((reports) => this.receive(gateway.name, reports));
  }

  /**
   * Stores and enqueues reports of a gateway.
   *
   * @throws OverloadedError or the error of the database; the gateway repeats the reports later
   */
  async receive(gateway: string, reports: GatewayReport[]): Promise<void> {
    this.enqueue(await this.store(gateway, reports));
  }

  /** Stores reports, on disk, without enqueuing them. @returns their ids @throws as `receive` */
  async store(gateway: string, reports: GatewayReport[]): Promise<string[]> {
    const stored = reports.flatMap((report) => this.toStored(gateway, report));
    if (stored.length > 0) await this.commit.add(stored);
    return stored.map(({ id }) => id);
  }

  /** Enqueues stored reports. A lost job is re-enqueued by the rescue duty. */
  enqueue(reportIds: readonly string[]): void {
    this.queues.get(REPORT_QUEUE).enqueue(reportIds);
  }

  /** Resolves when every report received before is stored. */
  close(): Promise<void> {
    return this.commit.close();
  }

  /** Logs and drops a report that the database refuses, so that its gateway does not repeat the others for ever. */
  private async insert(reports: NewReport[]): Promise<void> {
    const refused = await bisect(reports, (part) => insertReports(this.durable, part), isRefusedValue);
    for (const { item, error } of refused) {
      const { id, gateway, submissionId, n } = item;
      this.logger.error({ reportId: id, gateway, submissionId, n, error }, 'report.refused');
    }
  }

  /** Logs and drops a report whose message id has no form of ours, since it can never match a message. */
  private toStored(gateway: string, report: GatewayReport): NewReport[] {
    const stored = toNewReport(gateway, report);
    if (stored) return [stored];
    this.logger.warn(
      { gateway, messageId: toStorableText(report.messageId).slice(0, 100) },
      'report.unreadable',
    );
    return [];
  }
}
