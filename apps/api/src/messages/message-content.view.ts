import type { RenderedChat } from '@signalbox/domain/chat/message';
import { type Static, Type } from 'typebox';
import { FLAG, TEXT, model, nullable, oneOf } from '../docs/model.ts';

export const MessageContentView = model(
  'MessageContent',
  'The content of a message as the recipient sees it.',
  {
    text: nullable(
      TEXT,
      'Text of an SMS with its values and links, or readable text of a chat-app message; null for a one-time password.',
    ),
    isCode: Type.Boolean({
      description:
        'True for a one-time password. Its text is encrypted, wiped once submitted, and never shown.',
    }),
    encoding: nullable(oneOf(['GSM-7', 'UCS-2']), 'Encoding of an SMS; null for a one-time password.'),
    flash: FLAG,
    smsTemplateId: nullable(TEXT, 'SMS template that the send named.'),
    rendered: nullable(
      Type.Unsafe<RenderedChat>({ type: 'object' }),
      'Chat-app message with its header, buttons and cards; null for an SMS and for a one-time password.',
    ),
  },
);
export type MessageContentView = Static<typeof MessageContentView>;
