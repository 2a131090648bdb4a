import type { StepRecord, VerificationRecord } from '@signalbox/database/verify/verifications';
import { messageId } from '@signalbox/domain/message-id';
import { wireStatus } from '@signalbox/domain/message-status';
import { OTP_CHANNELS } from '@signalbox/domain/verify/otp-flow';
import { type Static, Type } from 'typebox';
import { COUNT, FLAG, ID, MESSAGE_ID, NUMBER, TEXT, TIME, model, nullable, oneOf } from '../docs/model.ts';

const StepView = model('VerificationStep', 'One step of a flow.', {
  channel: oneOf(OTP_CHANNELS),
  status: Type.String({ description: 'Waiting, Sent, Stopped (not needed), or Skipped (not possible).' }),
  reason: nullable(
    TEXT,
    'Of a stopped step: delivered, verified, replaced or expired. Of a skipped one: template_not_approved, template_not_found or sender_not_found; or message_damaged, when its stored message cannot be read.',
  ),
  dueAt: TIME,
  messageId: nullable(MESSAGE_ID),
});
type StepView = Static<typeof StepView>;

export const VerificationView = model('Verification', 'A verification without its code.', {
  verifyId: ID,
  configId: ID,
  to: NUMBER,
  country: TEXT,
  status: Type.String({
    enum: ['Pending', 'Sent', 'Verified', 'Expired', 'Replaced'],
    description:
      'Pending, then Sent once the code is generated and its message stored, and finally Verified, Expired or Replaced. Whether a gateway has a message is its own status.',
  }),
  attempts: COUNT,
  attemptsRemaining: COUNT,
  sends: COUNT,
  messages: Type.Array(
    Type.Object({
      messageId: MESSAGE_ID,
      channel: oneOf(OTP_CHANNELS),
      status: TEXT,
      unconfirmed: FLAG,
      errCode: nullable(TEXT),
    }),
  ),
  steps: Type.Array(StepView, { description: 'Steps of the flow; empty until the code is generated.' }),
  isTest: FLAG,
  guardReason: nullable(TEXT, 'Reason for which the fraud guard flagged it; null by default.'),
  createdAt: TIME,
  sentAt: nullable(TIME, 'When the code was generated and its first message stored.'),
  expiresAt: TIME,
  verifiedAt: nullable(TIME),
});
export type VerificationView = Static<typeof VerificationView>;

const STATUS: Record<VerificationRecord['status'], string> = {
  WAITING: 'Pending',
  SENT: 'Sent',
  VERIFIED: 'Verified',
  EXPIRED: 'Expired',
  REPLACED: 'Replaced',
};

export function verificationView(record: VerificationRecord): VerificationView {
  const { status, attempts, attemptsRemaining, steps } = record;
  const isOpen = status === 'WAITING' || status === 'SENT';
  const messages = steps.flatMap(messageOf);
  return {
    verifyId: record.id,
    configId: record.configId,
    to: record.recipient,
    country: record.country,
    status: STATUS[status],
    attempts,
    attemptsRemaining: isOpen ? attemptsRemaining : 0,
    sends: messages.length,
    messages,
    steps: steps.map(stepView),
    isTest: record.isTest,
    guardReason: record.guardReason,
    createdAt: record.createdAt.toISOString(),
    sentAt: record.sentAt?.toISOString() ?? null,
    expiresAt: record.expiresAt.toISOString(),
    verifiedAt: record.verifiedAt?.toISOString() ?? null,
  };
}

function messageOf({
  submissionId,
  channel,
  messageStatus,
  messageUnconfirmed,
  messageErrCode,
}: StepRecord): VerificationView['messages'] {
  if (submissionId === null) return [];
  return [
    {
      messageId: messageId(submissionId, 1),
      channel,
      status: wireStatus(messageStatus),
      unconfirmed: messageUnconfirmed,
      errCode: messageErrCode,
    },
  ];
}

function stepView({ channel, status, reason, dueAt, submissionId }: StepRecord): StepView {
  return {
    channel,
    status: wireStatus(status),
    reason,
    dueAt: new Date(dueAt).toISOString(),
    messageId: submissionId && messageId(submissionId, 1),
  };
}
