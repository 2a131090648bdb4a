import type { SubmissionProgress } from '@signalbox/database/submissions/progress';
import { wireType } from './wire-type.ts';

/** A submission and its progress. */
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
  /** Messages by status; they add up to `totalCount`. */
  statuses: { Pending: number; Sent: number; Delivered: number; Read: number; Failed: number };
  /** Pending messages held by quiet hours, and the end of the earliest quiet hours. */
  held: number;
  heldUntil: string | null;
  /** Failed messages that were cancelled. */
  cancelled: number;
}

/** Renders a submission for the wire. */
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
