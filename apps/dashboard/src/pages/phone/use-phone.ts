import {
  type PhoneMessage,
  listInbound,
  listInboundSms,
  listPhoneMessages,
  simulateInbound,
} from '@signalbox/client';
import type { Channel } from '@signalbox/domain/channel';
import type { ClientResult } from '../../api/answer.ts';
import { useAct } from '../../api/use-act.ts';
import { useAnswer } from '../../api/use-answer.ts';
import type { ApiFailure } from '../../api/failure.ts';
import { type Thread, threadsOf } from './thread.ts';

const NEWEST = 100;

/** The conversations of a phone. */
export interface Phone {
  threads: readonly Thread[];
  isLoading: boolean;
  /** Failure of a part that was never read. */
  unread: ApiFailure | null;
  reload: () => void;
}

/** Reads what a phone received and wrote, live. */
export function usePhone(number: string): Phone {
  const received = { live: ['phone'] as const };
  const wrote = { live: ['message'] as const };
  const inbox = useAnswer(
    ['phone', number, 'received'],
    (signal) =>
      listPhoneMessages({ path: { msisdn: number }, query: { limit: NEWEST }, signal }) as ClientResult<{
        data: PhoneMessage[];
      }>,
    received,
  );
  const query = { from: number, limit: NEWEST };
  const chat = useAnswer(['phone', number, 'chatapp'], (signal) => listInbound({ query, signal }), wrote);
  const sms = useAnswer(['phone', number, 'sms'], (signal) => listInboundSms({ query, signal }), wrote);
  return {
    threads: threadsOf(inbox.data ?? [], [
      { channel: 'chatapp', messages: chat.data ?? [] },
      { channel: 'sms', messages: sms.data ?? [] },
    ]),
    isLoading: inbox.isPending,
    unread: inbox.data && chat.data && sms.data ? null : (inbox.error ?? chat.error ?? sms.error),
    reload: () => void Promise.all([inbox.refetch(), chat.refetch(), sms.refetch()]),
  };
}

/** An answer of a phone: a text, a tapped button or a chosen row. */
type Answer =
  | { type: 'text'; text: { body: string } }
  | { type: 'button'; button: { text: string } }
  | {
      type: 'interactive';
      interactive: {
        type: 'button_reply' | 'list_reply';
        button_reply?: { id: string; title: string };
        list_reply?: { id: string; title: string; description?: string };
      };
    };

/** An answer, and the message that it answers. */
export interface Writing {
  answer: Answer;
  messageId?: string | undefined;
}

/** Writes from a phone to a sender. */
export function useWriting(number: string, channel: Channel, sender: string) {
  return useAct(
    ({ answer, messageId }: Writing, headers) =>
      simulateInbound({
        body: {
          channel,
          from: number,
          to: sender,
          ...answer,
          ...(messageId !== undefined && channel === 'chatapp' && { context: { messageId } }),
        },
        headers,
      }),
    { changes: ['phone'] },
  );
}
