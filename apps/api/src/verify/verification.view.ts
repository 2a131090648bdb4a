import type { VerificationRecord } from '@signalbox/database/verifications';
import { messageId } from '@signalbox/domain/message-id';
import { wireStatus } from '@signalbox/domain/message-status';

/** A verification as the API shows it; never its code. */
export interface VerificationView {
  verifyId: string;
  configId: string;
  to: string;
  country: string;
  /** Pending until the code is handed to its channel; then Sent, and in the end Verified, Expired or Replaced. */
  status: string;
  attempts: number;
  attemptsRemaining: number;
  sends: number;
  messages: { messageId: string; channel: string; status: string; errCode: string | null }[];
  isTest: boolean;
  /** What the fraud guard recorded, if it thought ill of it. */
  guardReason: string | null;
  createdAt: string;
  sentAt: string | null;
  expiresAt: string;
  verifiedAt: string | null;
}

const STATUS: Record<VerificationRecord['status'], string> = {
  WAITING: 'Pending',
  SENT: 'Sent',
  VERIFIED: 'Verified',
  EXPIRED: 'Expired',
  REPLACED: 'Replaced',
};

export function verificationView(record: VerificationRecord): VerificationView {
  const { submissionId, messageStatus, messageErrCode, status, attempts, maxAttempts } = record;
  const isOpen = status === 'WAITING' || status === 'SENT';
  const messages = submissionId
    ? [{ messageId: messageId(submissionId, 1), channel: 'sms', status: wireStatus(messageStatus), errCode: messageErrCode }]
    : [];
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
    isTest: record.isTest,
    guardReason: record.guardReason,
    createdAt: record.createdAt.toISOString(),
    sentAt: record.sentAt?.toISOString() ?? null,
    expiresAt: record.expiresAt.toISOString(),
    verifiedAt: record.verifiedAt?.toISOString() ?? null,
  };
}
