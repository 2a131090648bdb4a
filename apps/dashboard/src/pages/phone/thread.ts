import type { InboundMessage, PhoneMessage } from '@signalbox/client';
import type { Channel } from '@signalbox/domain/channel';
import type { RenderedButton, RenderedChat } from '@signalbox/domain/chat/message';

/** A line of a conversation on the phone. */
export type Line = { at: string; id: string } & (
  | { kind: 'received'; message: PhoneMessage }
  | { kind: 'written'; text: string }
);

/** A conversation of the phone with one sender. */
export interface Thread {
  /** Channel and sender: `sms:SIGNALBX`. */
  key: string;
  channel: Channel;
  sender: string;
  lines: Line[];
}

/** Messages that the phone wrote on a channel. */
export interface Written {
  channel: Channel;
  messages: readonly InboundMessage[];
}

export function threadKey(channel: Channel, sender: string): string {
  return `${channel}:${sender}`;
}

/** Reads a key; undefined for anything else. */
export function parseThread(key: string | undefined): Pick<Thread, 'key' | 'channel' | 'sender'> | undefined {
  const [, channel, sender] = /^(sms|chatapp):(.{1,20})$/.exec(key ?? '') ?? [];
  return channel === undefined || sender === undefined
    ? undefined
    : { key: `${channel}:${sender}`, channel: channel as Channel, sender };
}

/** Sorts what a phone received and wrote into conversations, the one with the newest line first. */
export function threadsOf(received: readonly PhoneMessage[], written: readonly Written[]): Thread[] {
  const threads = new Map<string, Thread>();
  const add = (channel: Channel, sender: string, line: Line): void => {
    const key = threadKey(channel, sender);
    const thread = threads.get(key) ?? { key, channel, sender, lines: [] };
    threads.set(key, thread);
    thread.lines.push(line);
  };
  for (const message of received)
    add(message.channel, message.from, {
      kind: 'received',
      message,
      at: message.receivedAt,
      id: message.messageId,
    });
  for (const { channel, messages } of written)
    for (const message of messages)
      add(channel, message.to, {
        kind: 'written',
        text: saidIn(message),
        at: message.receivedAt,
        id: message.id,
      });
  const all = [...threads.values()];
  for (const thread of all) thread.lines.sort((a, b) => a.at.localeCompare(b.at));
  return all.toSorted((a, b) => newestOf(b).localeCompare(newestOf(a)));
}

function newestOf({ lines }: Thread): string {
  return lines.at(-1)?.at ?? '';
}

interface Said {
  text?: { body?: string };
  button?: { text?: string };
  interactive?: { button_reply?: { title?: string }; list_reply?: { title?: string } };
}

/** Returns the text that a person wrote, tapped or chose; the kind of any other message in brackets. */
export function saidIn(message: InboundMessage): string {
  const { text, button, interactive } = message as Said;
  const { button_reply: tapped, list_reply: chosen } = interactive ?? {};
  return text?.body ?? button?.text ?? tapped?.title ?? chosen?.title ?? `[${message.type}]`;
}

/** The content of a chat-app message as the phone shows it. */
export function contentOf(message: PhoneMessage): RenderedChat {
  return (message.content ?? { body: message.text }) as RenderedChat;
}

/** The answer that a tap on a button of a message writes: with its id when the sender gave it one. */
export function tapOf(button: RenderedButton) {
  if (button.id === undefined) return { type: 'button' as const, button: { text: button.text } };
  const button_reply = { id: button.id, title: button.text };
  return { type: 'interactive' as const, interactive: { type: 'button_reply' as const, button_reply } };
}
