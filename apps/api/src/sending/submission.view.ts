import type { SubmissionProgress } from '@signalbox/database/submissions/progress';
import { wireType } from './wire-type.ts';

/** A submission and how far it is. */
export interface SubmissionView {
  id: string;
  sender: string;
  /** The `type` of the call. */
  type: string;
  campaignName: string | null;
  clientRef: string | null;
  createdAt: string;
  sendAt: string | null;
  expiresAt: string;
  ratePerSecond: number | null;
  cancelledAt: string | null;
  totalCount: number;
  /** Messages by their status; together they are `totalCount`. */
  statuses: { Pending: number; Sent: number; Delivered: number; Read: number; Failed: number };
  /** Of the pending ones, those that wait for the end of quiet hours, and when the first of them may go out. */
  held: number;
  heldUntil: string | null;
  /** Of the failed ones, those that were cancelled. */
  cancelled: number;
}

/** A submission as the API shows it: wire words and ISO 8601 times. */
export function submissionView(progress: SubmissionProgress): SubmissionView {
  const {
    PENDING: Pending,
    SENT: Sent,
    DELIVERED: Delivered,
    READ: Read,
    FAILED: Failed,
  } = progress.statuses;
  return {
    id: progress.id,
    sender: progress.sender,
    type: wireType(progress),
    campaignName: progress.campaign,
    clientRef: progress.clientRef,
    createdAt: progress.acceptedAt.toISOString(),
    sendAt: progress.sendAt?.toISOString() ?? null,
    expiresAt: progress.expiresAt.toISOString(),
    ratePerSecond: progress.ratePerSecond,
    cancelledAt: progress.cancelledAt?.toISOString() ?? null,
    totalCount: progress.total,
    statuses: { Pending, Sent, Delivered, Read, Failed },
    held: progress.held,
    heldUntil: progress.heldUntil?.toISOString() ?? null,
    cancelled: progress.cancelled,
  };
}
