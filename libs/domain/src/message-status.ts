export const MESSAGE_STATUSES = ['PENDING', 'SENT', 'DELIVERED', 'READ', 'FAILED'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** Statuses that a gateway reports. PENDING is set by Signalbox only. */
export type ReportedStatus = Exclude<MessageStatus, 'PENDING'>;

/** Statuses of events that move no message: SUBMITTED for a chat-app submit, RECEIVED for an inbound message. */
export const EVENT_STATUSES = ['SUBMITTED', 'RECEIVED'] as const;
export type ReportStatus = ReportedStatus | (typeof EVENT_STATUSES)[number];

/**
 * Order of statuses. A message moves to any later status and never back, because reports arrive late and out of order.
 * FAILED precedes DELIVERED: a gateway may correct itself, and the correction is recorded. SQL guards are built from
 * this list too.
 */
export const STATUS_ORDER: readonly MessageStatus[] = ['PENDING', 'SENT', 'FAILED', 'DELIVERED', 'READ'];

/** Checks that a report moves a message from its current status. */
export function canMove(from: MessageStatus, to: ReportStatus): boolean {
  const order: readonly string[] = STATUS_ORDER;
  return order.indexOf(from) < order.indexOf(to);
}

/** Converts a status to its wire form: `Pending`, `Sent`, `Delivered`, `Read` or `Failed`. */
export function wireStatus<Status extends string>(status: Status): Capitalize<Lowercase<Status>> {
  return (status.charAt(0) + status.slice(1).toLowerCase()) as Capitalize<Lowercase<Status>>;
}
