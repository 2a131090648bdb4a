import { randomUUIDv7 } from 'node:crypto';
import type { EntityManager } from '@signalbox/database/core/in-transaction';
import { listIdRules } from '@signalbox/database/gateways/id-rules';
import { type NewOrphan, insertOrphans } from '@signalbox/database/gateways/orphans';
import { applyIdForm } from '@signalbox/domain/routing/id-forms';
import { clampInstant, toStorableText } from '@signalbox/domain/sanitize';
import { MAX_GATEWAY_ID } from '@signalbox/gateways/gateway-ids';
import type { OrphanReport, OrphanReports } from '@signalbox/gateways/orphan-reports';

/** Keeps reports that match no message. They are on disk when `keep` resolves. */
export class OrphanBox implements OrphanReports {
  /** @param durable a database whose commits wait for the disk */
  constructor(private readonly durable: EntityManager) {}

  async keep(gateway: string, reports: OrphanReport[]): Promise<void> {
    if (reports.length === 0) return;
    const rules = await listIdRules(this.durable);
    const form = rules.find((rule) => rule.gateway === gateway)?.form ?? 'exact';
    await insertOrphans(
      this.durable,
      reports.map((report) => toNewOrphan(gateway, report, form)),
    );
  }
}

/** Makes a report storable, whatever its texts contain. */
function toNewOrphan(gateway: string, report: OrphanReport, form: string): NewOrphan {
  const gatewayMessageId = toStorableText(report.gatewayMessageId).slice(0, MAX_GATEWAY_ID).toWellFormed();
  return {
    id: randomUUIDv7(),
    gateway,
    kind: 'report',
    gatewayMessageId,
    wakeId: applyIdForm(form, gatewayMessageId) ?? gatewayMessageId,
    recipient: report.recipient === null ? null : toStorableText(report.recipient),
    status: report.status,
    errCode: toStorableText(report.errCode),
    gatewayCode: report.gatewayCode === null ? null : toStorableText(report.gatewayCode),
    description: toStorableText(report.description),
    content: null,
    reportedAt: clampInstant(report.reportedAt, new Date()),
  };
}
