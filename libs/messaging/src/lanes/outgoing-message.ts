import { messageId } from '@signalbox/domain/message-id';
import type { OutgoingMessage } from '@signalbox/gateways/gateway';

/** The fields that the messages of a submission share. */
interface Shared {
  submissionId: string;
  accountId: string;
  sender: string;
  content: { via?: string };
}

/** The fields of one of them. */
interface Own {
  n: number;
  recipient: string;
  attempt: number;
  throttledAt?: Date | null;
}

/** Returns the fields that an outgoing message of every channel has. */
export function outgoingMessage(
  { submissionId, accountId, sender, content }: Shared,
  { n, recipient, attempt, throttledAt = null }: Own,
): OutgoingMessage {
  return {
    messageId: messageId(submissionId, n),
    key: { submissionId, n },
    accountId,
    sender,
    recipient,
    attempt,
    throttledAt,
    ...(content.via !== undefined && { via: content.via }),
  };
}
