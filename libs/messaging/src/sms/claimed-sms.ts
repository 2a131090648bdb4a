import type { ReclaimedMessage } from '@signalbox/database/submissions/reclaim';
import type { SubmissionChunk, SmsContent } from '@signalbox/database/submissions/submissions';
import type { SmsLane } from '@signalbox/domain/lane';
import type { ClaimedRow } from '../lanes/channel.ts';

/** One claimed message, without the fields of its submission. */
export interface Recipient {
  n: number;
  recipient: string;
  attempt: number;
  /** Segments counted at acceptance. */
  credits: number;
  throttledAt: Date | null;
  /** Null when the text has no values. */
  values: string[] | null;
}

/** Claimed messages of one submission. */
export interface ClaimedSms extends ClaimedRow {
  accountId: string;
  sender: string;
  lane: SmsLane;
  content: SmsContent;
  expiresAt: Date;
  messages: Recipient[];
}

/** Returns the claimed messages of a chunk, without those that ended or are held by quiet hours. */
export function fromChunk(chunk: SubmissionChunk): ClaimedSms {
  const { id: submissionId, accountId, sender, lane, content, sealed, expiresAt } = chunk;
  const { from, recipients, credits, creditsEach, custom, skipped } = chunk;
  const all = recipients.map((recipient, i) => ({
    n: from + i + 1,
    recipient,
    attempt: 1,
    credits: creditsEach?.[i] ?? credits,
    throttledAt: null,
    values: custom?.[i] ?? null,
  }));
  const isSkipped = new Set(skipped);
  const messages = skipped ? all.filter(({ n }) => !isSkipped.has(n)) : all;
  return { submissionId, accountId, sender, lane, content, sealed, expiresAt, messages };
}

export function fromReclaimed(message: ReclaimedMessage): ClaimedSms {
  const { submissionId, accountId, sender, lane, content, sealed, expiresAt } = message;
  const { n, recipient, attempt, credits, throttledAt, custom } = message;
  return {
    submissionId,
    accountId,
    sender,
    lane,
    content,
    sealed,
    expiresAt,
    messages: [{ n, recipient, attempt, credits, throttledAt, values: custom }],
  };
}
