import type { StepRecord, VerificationRecord } from '@signalbox/database/verify/verifications';
import { messageId } from '@signalbox/domain/message-id';
import { wireStatus } from '@signalbox/domain/message-status';

/** A verification without its code. */
export interface VerificationView {
  verifyId: string;
  configId: string;
  to: string;
  country: string;
  /** Pending, then Sent when a gateway has the code, and finally Verified, Expired or Replaced. */
  status: string;
  attempts: number;
  attemptsRemaining: number;
  sends: number;
  messages: { messageId: string; channel: string; status: string; errCode: string | null }[];
  /** Steps of the flow; empty until the code is generated. */
  steps: StepView[];
  isTest: boolean;
  /** Reason for which the fraud guard flagged it; null by default. */
  guardReason: string | null;
  createdAt: string;
  sentAt: string | null;
  expiresAt: string;
  verifiedAt: string | null;
}

/** One step of a flow. */
interface StepView {
  channel: string;
  /** Waiting, Sent, Stopped (not needed), or Skipped (not possible). */
  status: string;
  reason: string | null;
  dueAt: string;
  messageId: string | null;
}

const STATUS: Record<VerificationRecord['status'], string> = {
  WAITING: 'Pending',
  SENT: 'Sent',
  VERIFIED: 'Verified',
  EXPIRED: 'Expired',
  REPLACED: 'Replaced',
};

export function verificationView(record: VerificationRecord): VerificationView {
  const { status, attempts, maxAttempts, steps } = record;
  const isOpen = status === 'WAITING' || status === 'SENT';
  const messages = steps.flatMap(messageOf);
  return {
    verifyId: record.id,
    configId: record.configId,
    to: record.recipient,
    country: record.country,
    status: STATUS[status],
    attempts,
    attemptsRemaining: isOpen ? maxAttempts - attempts : 0,
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
  messageErrCode,
}: StepRecord): VerificationView['messages'] {
  if (submissionId === null) return [];
  return [
    {
      messageId: messageId(submissionId, 1),
      channel,
      status: wireStatus(messageStatus),
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
