import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { isRefusedValue } from '@signalbox/database/core/refused-value';
import { insertGatewayOptOuts } from '@signalbox/database/gateways/inbound-sms';
import { type NewReport, insertReports } from '@signalbox/database/reports/reports';
import type { Lane } from '@signalbox/domain/lane';
import type { GatewayReport } from '@signalbox/domain/routing/submit-outcome';
import { toStorableText } from '@signalbox/domain/sanitize';
import { reportQueueOf } from '@signalbox/queues/definitions';
import { Queues } from '@signalbox/queues/open-queues';
import { bisect } from '@signalbox/runtime/bisect';
import { GroupCommit } from '@signalbox/runtime/group-commit';
import { Logger } from '@signalbox/runtime/logger';
import { EntityManager } from 'typeorm';
import { enqueueReports } from './enqueue-reports.ts';
import { optOutsOf, toNewReport } from './gateway-reports.ts';
import { Gateways } from '../gateways/gateways.ts';
import { OutcomeCounts } from '../gateways/outcome-counts.ts';
import { DURABLE } from '../worker/worker.module.ts';

const LIMITS = { maxBatch: 1_000, maxWaiting: 100_000 };

/**
 * Stores what gateways report. A report is on disk before its gateway gets the acknowledgement, and enqueued after
 * that. Reports that arrive meanwhile share the next statement.
 */
@Injectable()
export class ReportIntake {
  private readonly commit: GroupCommit<NewReport[], ReadonlySet<string>>;

  constructor(
    @InjectEntityManager(DURABLE) private readonly durable: EntityManager,
    private readonly queues: Queues,
    private readonly gateways: Gateways,
    private readonly counts: OutcomeCounts,
    private readonly logger: Logger,
  ) {
    const store = async (batches: NewReport[][]): Promise<ReadonlySet<string>[]> => {
      const codeReports = await this.insert(batches.flat());
      return batches.map(() => codeReports);
    };
    const weigh = (reports: NewReport[]): number => reports.length;
    this.commit = new GroupCommit(store, { name: 'store reports', ...LIMITS, weigh });
    gateways.onOpen((gateway) => gateway.onReports((reports) => this.receive(gateway.name, reports)));
  }

  /**
   * Stores and enqueues reports of a gateway.
   *
   * @throws OverloadedError or the error of the database; the gateway repeats the reports later
   */
  async receive(gateway: string, reports: GatewayReport[]): Promise<void> {
    const newReports = this.toNewReports(gateway, reports);
    if (newReports.length === 0) return;
    const codeReports = await this.commit.add(newReports);
    this.counts.countReports(gateway, reports);
    await this.storeOptOuts(gateway, reports);
    enqueueReports(this.queues, newReports, codeReports);
  }

  /** Stores reports, on disk, without enqueuing them. @returns their ids @throws as `receive` */
  async store(gateway: string, reports: GatewayReport[]): Promise<string[]> {
    const newReports = this.toNewReports(gateway, reports);
    if (newReports.length > 0) await this.commit.add(newReports);
    await this.storeOptOuts(gateway, reports);
    return newReports.map(({ id }) => id);
  }

  /** Enqueues stored reports of a lane. A lost job is re-enqueued by the rescue duty. */
  enqueue(lane: Lane, reportIds: readonly string[]): void {
    this.queues.get(reportQueueOf(lane)).enqueue(reportIds);
  }

  /** Resolves when every report received before is stored. */
  close(): Promise<void> {
    return this.commit.close();
  }

  /**
   * Logs and drops a report that the database refuses, so that its gateway does not repeat the others for ever.
   *
   * @returns the ids of those about codes
   */
  private async insert(reports: NewReport[]): Promise<ReadonlySet<string>> {
    const codeReports = new Set<string>();
    const store = async (part: NewReport[]): Promise<void> => {
      for (const id of await insertReports(this.durable, part)) codeReports.add(id);
    };
    const refused = await bisect(reports, store, isRefusedValue);
    for (const { item, error } of refused) {
      const { id, gateway, submissionId, n } = item;
      this.logger.error({ reportId: id, gateway, submissionId, n, error }, 'report.refused');
    }
    return codeReports;
  }

  private async storeOptOuts(gateway: string, reports: readonly GatewayReport[]): Promise<void> {
    await insertGatewayOptOuts(this.durable, optOutsOf(this.gateways.find(gateway)?.row, reports));
  }

  /** Logs and drops a report whose message id is not one of Signalbox, since it can never match a message. */
  private toNewReports(gateway: string, reports: GatewayReport[]): NewReport[] {
    return reports.flatMap((report) => {
      const newReport = toNewReport(gateway, report);
      if (newReport) return [newReport];
      const messageId = toStorableText(report.messageId).slice(0, 100);
      this.logger.warn({ gateway, messageId }, 'report.unreadable');
      return [];
    });
  }
}
