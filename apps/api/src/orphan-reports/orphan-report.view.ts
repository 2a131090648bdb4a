import type { Orphan } from '@signalbox/database/gateways/orphans';
import { wireStatus } from '@signalbox/domain/message-status';
import { keptInboundSms } from '@signalbox/messaging/sms/inbound';

/** An entry of the orphan box on the wire. */
export interface OrphanReportView {
  id: string;
  gateway: string;
  kind: string;
  gatewayMessageId: string;
  /** The number that the report names, as the gateway spells it; the number that an inbound SMS was sent to. */
  recipient: string | null;
  /** The writer of an inbound SMS; null for a report. */
  from: string | null;
  status: string | null;
  errCode: string;
  gatewayErrCode: string | null;
  description: string;
  reportedAt: string;
  receivedAt: string;
  /** When it is tried again; null when it is not tried any more. */
  nextTryAt: string | null;
}

export function orphanReportView(orphan: Orphan): OrphanReportView {
  const { id, gateway, kind, gatewayMessageId, recipient, status, errCode, gatewayCode, description } =
    orphan;
  return {
    id,
    gateway,
    kind,
    gatewayMessageId,
    recipient,
    from: orphan.content === null ? null : keptInboundSms(orphan.content).from,
    status: status === null ? null : wireStatus(status),
    errCode,
    gatewayErrCode: gatewayCode,
    description,
    reportedAt: orphan.reportedAt.toISOString(),
    receivedAt: orphan.receivedAt.toISOString(),
    nextTryAt: orphan.nextTryAt?.toISOString() ?? null,
  };
}
