export const MESSAGE_STATUSES = ['PENDING', 'SENT', 'DELIVERED', 'READ', 'FAILED'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** What a gateway may report of a message; PENDING is ours alone. */
export type ReportedStatus = Exclude<MessageStatus, 'PENDING'>;

/** Where a message may go from each status. Reports arrive late and out of order: skip ahead, never back. */
const NEXT: Record<MessageStatus, readonly ReportedStatus[]> = {
  PENDING: ['SENT', 'DELIVERED', 'READ', 'FAILED'],
  SENT: ['DELIVERED', 'READ', 'FAILED'],
  DELIVERED: ['READ'],
  FAILED: ['DELIVERED', 'READ'], // a gateway may correct itself; the correction is recorded
  READ: [],
};

/** The legal moves as `FROM>TO`, for the guard of a statement: SQL and pure code share this one table. */
export const LEGAL_MOVES: readonly string[] = MESSAGE_STATUSES.flatMap((from) => NEXT[from].map((to) => `${from}>${to}`));

/** Whether a report of `to` moves a message that stands at `from`. */
export function canMove(from: MessageStatus, to: ReportedStatus): boolean {
  return NEXT[from].includes(to);
}

/** The word of a status on the wire: `Pending, Sent, Delivered, Read, Failed`. */
export function wireStatus(status: string): string {
  return status.charAt(0) + status.slice(1).toLowerCase();
}
