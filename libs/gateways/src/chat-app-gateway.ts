import type { ChatKind, RenderedChat } from '@signalbox/domain/chat/message';
import type { Category } from '@signalbox/domain/templates/template';
import { Gateway, type OutgoingMessage } from './gateway.ts';

/** One chat-app message to submit. Its sender is a business number. */
export interface OutgoingChatMessage extends OutgoingMessage {
  kind: ChatKind;
  /** The template that the message is rendered from; null within a session. */
  template: { name: string; language: string; category: Category } | null;
  content: RenderedChat;
}

/** The port to a provider of a chat app. */
export abstract class ChatAppGateway extends Gateway<OutgoingChatMessage> {}
