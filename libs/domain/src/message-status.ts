export const MESSAGE_STATUSES = ['PENDING', 'SENT', 'DELIVERED', 'READ', 'FAILED'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** What a gateway may report of a message; PENDING is ours alone. */
export type ReportedStatus = Exclude<MessageStatus, 'PENDING'>;

/**
 * What a report may say that tells of an event and moves no message: a chat-app message is with its gateway, or a recipient wrote one.
 */
export const EVENT_STATUSES = ['SUBMITTED', 'RECEIVED'] as const;
export type ReportStatus = ReportedStatus | (typeof EVENT_STATUSES)[number];

/**
 * The order of a message's life: it moves to any later status and never back, since reports arrive late and out of order. FAILED comes
 * before DELIVERED because a gateway may correct itself; the correction is recorded. Pure code and the guards of statements share it.
 */
export const STATUS_ORDER: readonly MessageStatus[] = ['PENDING', 'SENT', 'FAILED', 'DELIVERED', 'READ'];

/** Whether a report moves a message that stands at `from`. */
export function canMove(from: MessageStatus, to: ReportStatus): boolean {
  return STATUS_ORDER.indexOf(from) < STATUS_ORDER.indexOf(to as MessageStatus);
}

/** The word of a status on the wire: `Pending, Sent, Delivered, Read, Failed`. */
export function wireStatus(status: string): string {
  return status.charAt(0) + status.slice(1).toLowerCase();
}
