import type { InboundRow } from '@signalbox/database/chat/inbound-list';
import { messageId } from '@signalbox/domain/message-id';

/** An inbound message on the wire. Its content is the member named like its type. */
export interface InboundView {
  id: string;
  /** Absent for an SMS. */
  chatAccountId?: number;
  from: string;
  to: string;
  type: string;
  text?: unknown;
  /** The message that it answers; null when it names none. */
  context: { messageId: string } | null;
  gateway: string;
  sentAt: string;
  receivedAt: string;
}

export function inboundView(row: InboundRow): InboundView {
  const { id, chatAccountId, from, to, kind, content, replyToId, replyToN, gateway } = row;
  return {
    id,
    ...(chatAccountId !== null && { chatAccountId }),
    from,
    to,
    type: kind,
    ...content,
    context: replyToId !== null && replyToN !== null ? { messageId: messageId(replyToId, replyToN) } : null,
    gateway,
    sentAt: row.sentAt.toISOString(),
    receivedAt: row.receivedAt.toISOString(),
  };
}
