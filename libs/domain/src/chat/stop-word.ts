import type { Channel } from '../channel.ts';

/** Words that mean nothing else, without spaces and hyphens. */
const WORDS: ReadonlyMap<string, 'stop' | 'start'> = new Map([
  ['stop', 'stop'],
  ['stopall', 'stop'],
  ['unsubscribe', 'stop'],
  ['optout', 'stop'],
  ['revoke', 'stop'],
  ['start', 'start'],
  ['unstop', 'start'],
]);

/** In an SMS these are refusals too (47 CFR 64.1200(a)(10)). In a chat app they may be the title of a button. */
const SMS_WORDS: ReadonlySet<string> = new Set(['cancel', 'end', 'quit']);

/** More than the longest word. Longer texts are not searched. */
const MAX_LENGTH = 40;

/**
 * Recognizes the words by which people refuse further messages, or want them again, alone in a text: in any case, with
 * or without a full stop, spaces or hyphens. Undefined for other texts.
 */
export function parseStopWord(text: string, channel: Channel): 'stop' | 'start' | undefined {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH) return undefined;
  const word = trimmed.replace(/\.$/, '').replaceAll(/[\s-]/g, '').toLowerCase();
  return channel === 'sms' && SMS_WORDS.has(word) ? 'stop' : WORDS.get(word);
}
