import type { ChatKind, RenderedChat } from '@signalbox/domain/chat/message';
import type { Category } from '@signalbox/domain/templates/template';
import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';

/** One chat-app message to hand to a provider. A repeat of the same `messageId` is the same message. */
export interface OutgoingChatMessage {
  messageId: string;
  /** The business number. */
  sender: string;
  recipient: string;
  kind: ChatKind;
  /** The template that it is made of; null for a message within a session. */
  template: { name: string; language: string; category: Category } | null;
  content: RenderedChat;
  /** 1 for the first submit, one more for each submit after a `throttled`. */
  attempt: number;
}

/**
 * The port to a provider of a chat app. What it reports, it calls back about (callbacks.ts): late, twice, out of order, and before the submit
 * answer.
 */
export abstract class ChatAppGateway {
  /** The name that reports, callbacks and webhook configurations know the gateway by. */
  abstract readonly name: string;

  /**
   * Submits a batch and tells what became of each message, in the order of the messages.
   *
   * @throws only when nothing is known of the whole batch
   */
  abstract submit(messages: OutgoingChatMessage[]): Promise<SubmitOutcome[]>;

  /** Asks again for what was to be reported of messages that are overdue; the answers come as callbacks. */
  abstract query(messages: { messageId: string; recipient: string }[]): Promise<void>;

  /** Stops taking messages. */
  abstract close(): Promise<void>;
}
