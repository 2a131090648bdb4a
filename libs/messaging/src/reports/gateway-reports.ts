import { randomUUIDv7 } from 'node:crypto';
import type { GatewayOptOut } from '@signalbox/database/gateways/inbound-sms';
import type { NewReport } from '@signalbox/database/reports/reports';
import { messageKeyOf } from '@signalbox/domain/message-id';
import { type VendorOfGateway, isOptOut } from '@signalbox/domain/routing/opt-out-codes';
import type { GatewayReport, SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import { clampInstant, toStorableText } from '@signalbox/domain/sanitize';
import { MAX_GATEWAY_CODE } from '@signalbox/gateways/gateway-ids';
import { storable } from '@signalbox/gateways/storable';

const MAX_DETAILS_BYTES = 2_048;

/**
 * Makes a report storable, whatever its texts contain.
 *
 * @returns undefined when its message id is not one of Signalbox
 */
export function toNewReport(gateway: string, report: GatewayReport): NewReport | undefined {
  const key = messageKeyOf(report);
  if (!key) return undefined;
  return {
    id: randomUUIDv7(),
    gateway,
    ...key,
    status: report.status,
    errCode: toStorableText(report.errCode),
    description: toStorableText(report.description),
    operatorCircle: report.operatorCircle === undefined ? null : toStorableText(report.operatorCircle),
    reportedAt: clampInstant(report.reportedAt, new Date()),
    gatewayCode:
      report.gatewayCode === undefined
        ? null
        : toStorableText(report.gatewayCode).slice(0, MAX_GATEWAY_CODE).toWellFormed(),
    details: storableDetails(report.details),
  };
}

/** Returns details as Postgres stores them; null for none, and for more than MAX_DETAILS_BYTES of JSON. */
function storableDetails(details: Record<string, unknown> | undefined): Record<string, unknown> | null {
  if (details === undefined) return null;
  const stored = storable(details) as Record<string, unknown>;
  return Buffer.byteLength(JSON.stringify(stored)) > MAX_DETAILS_BYTES ? null : stored;
}

/**
 * Returns the messages whose recipients opted out with the gateway itself, as its reports say.
 *
 * @param gateway its row; undefined for one without
 */
export function optOutsOf(
  gateway: VendorOfGateway | undefined,
  reports: readonly GatewayReport[],
): GatewayOptOut[] {
  return reports
    .filter(({ errCode, gatewayCode }) => isOptOut(gateway, errCode, gatewayCode))
    .flatMap((report) => {
      const key = messageKeyOf(report);
      return key ? [{ ...key, at: clampInstant(report.reportedAt, new Date()) }] : [];
    });
}

/** Returns the report of a rejected message. */
export function toRejection({
  messageId,
  errCode,
  description,
  gatewayCode,
}: SubmitOutcome & { result: 'rejected' }): GatewayReport {
  const code = gatewayCode === undefined ? {} : { gatewayCode };
  return { messageId, status: 'FAILED', errCode, description, ...code, reportedAt: new Date() };
}
