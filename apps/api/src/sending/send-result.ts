import { messageId } from '@signalbox/domain/message-id';

/** The answer to every send: it names each message before any is sent. */
export interface SendResult {
  id: string;
  data: { recipient: string; messageId: string; flash?: 1 }[];
  totalCount: number;
  message: string;
  error: null;
  unicode?: 1;
}

/** Builds the send result of a submission. It depends on the submission only, so a repeat returns the same. */
export function sendResult(
  submissionId: string,
  recipients: string[],
  content: { unicode?: boolean; flash?: boolean },
): SendResult {
  const flash = content.flash ? { flash: 1 as const } : undefined;
  return {
    id: submissionId,
    data: recipients.map((recipient, i) => ({
      recipient,
      messageId: messageId(submissionId, i + 1),
      ...flash,
    })),
    totalCount: recipients.length,
    message:
      recipients.length === 1 ? 'The message was accepted.' : `${recipients.length} messages were accepted.`,
    error: null,
    ...(content.unicode && { unicode: 1 as const }),
  };
}
