import type { ChatKind, RenderedChat } from '@signalbox/domain/chat/message';
import type { TemplateFilling } from '@signalbox/domain/chat/template-filling';
import type { Category } from '@signalbox/domain/templates/template';
import { Gateway, type OutgoingMessage } from './gateway.ts';

/** One chat-app message to submit. Its sender is a business number. */
export interface OutgoingChatMessage extends OutgoingMessage {
  kind: ChatKind;
  /** The template that the message is rendered from, and its values; null within a session. */
  template: { name: string; language: string; category: Category; filling: TemplateFilling } | null;
  /** The message as a phone shows it. */
  content: RenderedChat;
  /** The gateway's id of the message that this one replies to. */
  replyTo?: string;
}

/** The port to a provider of a chat app. */
export abstract class ChatAppGateway extends Gateway<OutgoingChatMessage> {}
