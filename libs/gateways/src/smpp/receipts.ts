import type { GatewayReport } from '@signalbox/domain/routing/submit-outcome';
import { toStorableText } from '@signalbox/domain/sanitize';
import type { GatewayIds, SegmentReport } from '../gateway-ids.ts';
import type { OrphanReports } from '../orphan-reports.ts';
import type { ReceiptSettings } from './text/receipt-settings.ts';
import { rollUp } from './text/roll-up.ts';

const MAX_BATCH = 500;
const MAX_ID = 255;
const MAX_CODE = 64;

interface Waiting {
  report: SegmentReport;
  resolve: () => void;
  reject: (error: unknown) => void;
}

export interface ReceiptsOptions {
  gateway: string;
  ids: GatewayIds;
  orphans: OrphanReports;
  settings: ReceiptSettings;
  receive: (reports: GatewayReport[]) => Promise<void>;
  /** Resolves when the ids of all answers so far are durable, so that no receipt overtakes its id. */
  idsStored: () => Promise<void>;
}

/**
 * Stores receipts: finds the message of each, rolls its segments up, and hands reports over; a receipt of an unknown id
 * becomes an orphan. Receipts that arrive while some are being stored are stored together, in their order.
 */
export class Receipts {
  private waiting: Waiting[] = [];
  private isRunning = false;

  constructor(private readonly options: ReceiptsOptions) {}

  /** Resolves when the receipt is durable, rejects when it could not be stored. */
  add(report: SegmentReport): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.waiting.push({ report: storable(report), resolve, reject });
    if (!this.isRunning) void this.run();
    return promise;
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    await new Promise(setImmediate);
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, MAX_BATCH);
      try {
        await this.store(batch.map(({ report }) => report));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.isRunning = false;
  }

  private async store(receipts: SegmentReport[]): Promise<void> {
    const { gateway, ids, orphans, settings, receive } = this.options;
    await this.options.idsStored();
    const found = await ids.report(gateway, receipts);
    const unknown = receipts.filter((_receipt, i) => found[i] === undefined);
    const reports = found.flatMap((segments) => (segments && rollUp(segments, settings)) ?? []);
    if (unknown.length > 0) await orphans.keep(gateway, unknown);
    if (reports.length > 0) await receive(reports);
  }
}

/** A receipt that no database refuses. Ids are cut like those of the answers. */
function storable(report: SegmentReport): SegmentReport {
  return {
    ...report,
    gatewayMessageId: toStorableText(report.gatewayMessageId).slice(0, MAX_ID),
    gatewayCode: report.gatewayCode && toStorableText(report.gatewayCode).slice(0, MAX_CODE),
  };
}
