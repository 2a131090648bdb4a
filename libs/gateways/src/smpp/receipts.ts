import type { GatewayReport } from '@signalbox/domain/routing/submit-outcome';
import { toStorableText } from '@signalbox/domain/sanitize';
import { type GatewayIds, MAX_GATEWAY_CODE, MAX_GATEWAY_ID, type SegmentReport } from '../gateway-ids.ts';
import type { OrphanReports } from '../orphan-reports.ts';
import type { ReceiptSettings } from './text/receipt-settings.ts';
import { rollUp } from './text/roll-up.ts';

const MAX_BATCH = 500;

/**
 * Receipts that are stored together. All of them share the promise, since a promise for each costs more than its row.
 */
interface Batch extends PromiseWithResolvers<void> {
  receipts: SegmentReport[];
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
  private waiting: Batch[] = [];
  private isRunning = false;

  constructor(private readonly options: ReceiptsOptions) {}

  /** Resolves when the receipt is durable, rejects when it could not be stored. */
  add(report: SegmentReport): Promise<void> {
    const last = this.waiting.at(-1);
    const batch = last && last.receipts.length < MAX_BATCH ? last : this.startBatch();
    batch.receipts.push(toStorable(report));
    if (!this.isRunning) void this.run();
    return batch.promise;
  }

  private startBatch(): Batch {
    const batch = { receipts: [], ...Promise.withResolvers<void>() };
    this.waiting.push(batch);
    return batch;
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    await new Promise(setImmediate);
    for (let batch = this.waiting.shift(); batch; batch = this.waiting.shift())
      await this.store(batch.receipts).then(batch.resolve, batch.reject);
    this.isRunning = false;
  }

  private async store(receipts: SegmentReport[]): Promise<void> {
    const { gateway, ids, orphans, settings, receive } = this.options;
    await this.options.idsStored();
    const found = await ids.report(gateway, receipts);
    const unknown: SegmentReport[] = [];
    const reports: GatewayReport[] = [];
    for (const [i, segments] of found.entries()) {
      const report = segments && rollUp(segments, settings);
      if (report) reports.push(report);
      if (!segments) unknown.push(receipts[i]!);
    }
    if (unknown.length > 0) await orphans.keep(gateway, unknown);
    if (reports.length > 0) await receive(reports);
  }
}

/** A receipt that no database refuses. Ids are cut like those of the answers. */
function toStorable(report: SegmentReport): SegmentReport {
  const gatewayMessageId = cut(report.gatewayMessageId, MAX_GATEWAY_ID);
  const gatewayCode = report.gatewayCode && cut(report.gatewayCode, MAX_GATEWAY_CODE);
  return gatewayMessageId === report.gatewayMessageId && gatewayCode === report.gatewayCode
    ? report
    : { ...report, gatewayMessageId, gatewayCode };
}

function cut(text: string, length: number): string {
  const safe = toStorableText(text);
  return safe.length > length ? safe.slice(0, length) : safe;
}
