import { messageId } from '@signalbox/domain/message-id';
import { type Static, Type } from 'typebox';
import { COUNT, ID, MESSAGE_ID, RECIPIENT, TEXT, model } from '../docs/model.ts';

export const SendResult = model(
  'SendResult',
  'The response to a send: it names each message before any is sent.',
  {
    id: ID,
    data: Type.Array(
      Type.Object({ recipient: RECIPIENT, messageId: MESSAGE_ID, flash: Type.Optional(Type.Literal(1)) }),
    ),
    totalCount: COUNT,
    message: TEXT,
    error: Type.Null(),
    unicode: Type.Optional(Type.Literal(1)),
  },
);
export type SendResult = Static<typeof SendResult>;

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
