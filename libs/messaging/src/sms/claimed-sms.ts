import type { ReclaimedMessage } from '@signalbox/database/submissions/reclaim';
import type { SubmissionChunk, SmsContent } from '@signalbox/database/submissions/submissions';
import type { ClaimedRow } from '../channel.ts';

/** One claimed message, without what its submission says. */
export interface Recipient {
  n: number;
  recipient: string;
  attempt: number;
  /** Null when the text has no values. */
  values: string[] | null;
}

/** Claimed messages of one submission. */
export interface ClaimedSms extends ClaimedRow {
  accountId: string;
  sender: string;
  content: SmsContent;
  messages: Recipient[];
}

/** Returns the claimed messages of a chunk, without those that ended or are held by quiet hours. */
export function fromChunk({
  id: submissionId,
  accountId,
  sender,
  content,
  sealed,
  ...chunk
}: SubmissionChunk): ClaimedSms {
  const { from, recipients, custom, skipped } = chunk;
  const all = recipients.map((recipient, i) => ({
    n: from + i + 1,
    recipient,
    attempt: 1,
    values: custom?.[i] ?? null,
  }));
  const isSkipped = new Set(skipped);
  const messages = skipped ? all.filter(({ n }) => !isSkipped.has(n)) : all;
  return { submissionId, accountId, sender, content, sealed, messages };
}

export function fromReclaimed(message: ReclaimedMessage): ClaimedSms {
  const { submissionId, accountId, sender, content, sealed, n, recipient, attempt, custom } = message;
  return {
    submissionId,
    accountId,
    sender,
    content,
    sealed,
    messages: [{ n, recipient, attempt, values: custom }],
  };
}
