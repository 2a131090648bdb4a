import type { Orphan } from '@signalbox/database/gateways/orphans';
import { wireStatus } from '@signalbox/domain/message-status';
import { keptInboundSms } from '@signalbox/messaging/sms/inbound';
import type { Static } from 'typebox';
import { ID, TEXT, TIME, WIRE_STATUSES, model, nullable, oneOf, show } from '../docs/model.ts';
import { ORPHAN_KINDS } from './orphan-report.dto.ts';

export const OrphanReportView = model('OrphanReport', 'An entry of the orphan box.', {
  id: ID,
  gateway: TEXT,
  kind: oneOf(ORPHAN_KINDS),
  gatewayMessageId: TEXT,
  recipient: nullable(
    TEXT,
    'The number that a report names, as the gateway spells it; the number that an inbound SMS was sent to.',
  ),
  from: nullable(TEXT, 'The writer of an inbound SMS; null for a report.'),
  status: nullable(oneOf(WIRE_STATUSES)),
  errCode: TEXT,
  gatewayErrCode: nullable(TEXT, 'The code as the gateway gave it.'),
  description: TEXT,
  reportedAt: TIME,
  receivedAt: TIME,
  nextTryAt: nullable(TIME, 'When it is tried again; null when it is not tried any more.'),
});
export type OrphanReportView = Static<typeof OrphanReportView>;

export function orphanReportView(orphan: Orphan): OrphanReportView {
  const { content, status, gatewayCode } = orphan;
  return show(OrphanReportView, {
    ...orphan,
    from: content === null ? null : keptInboundSms(content).from,
    status: status === null ? null : (wireStatus(status) as OrphanReportView['status']),
    gatewayErrCode: gatewayCode,
  });
}
