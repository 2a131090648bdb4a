import { expect, test } from '@jest/globals';
import type { InboundMessage, PhoneMessage } from '@signalbox/client';
import type { Channel } from '@signalbox/domain/channel';
import { parseThread, saidIn, tapOf, threadsOf } from './thread.ts';

const at = (second: number): string => `2026-11-20T10:00:0${second}.000Z`;
const received = (from: string, channel: Channel, second: number): PhoneMessage => ({
  messageId: `${from}${second}`,
  channel,
  from,
  text: 'Hello',
  receivedAt: at(second),
});
const written = (to: string, second: number, more: object = { text: { body: 'YES' } }): InboundMessage => ({
  id: `w${second}`,
  from: '919800000100',
  to,
  type: 'text',
  context: null,
  gateway: 'simulator',
  sentAt: at(second),
  receivedAt: at(second),
  ...more,
});

test('messages in both directions form one conversation per channel and sender', () => {
  const threads = threadsOf(
    [received('15550100001', 'chatapp', 3), received('SHOP', 'sms', 1), received('15550100001', 'sms', 2)],
    [
      { channel: 'chatapp', messages: [written('15550100001', 4)] },
      { channel: 'sms', messages: [written('SHOP', 9)] },
    ],
  );
  expect(threads.map(({ key, lines }) => [key, lines.map((line) => `${line.kind} ${line.at}`)])).toEqual([
    ['sms:SHOP', [`received ${at(1)}`, `written ${at(9)}`]],
    ['chatapp:15550100001', [`received ${at(3)}`, `written ${at(4)}`]],
    ['sms:15550100001', [`received ${at(2)}`]],
  ]);
});

test.each<[object, string]>([
  [{ type: 'text', text: { body: 'YES' } }, 'YES'],
  [{ type: 'button', text: undefined, button: { text: 'Not for me' } }, 'Not for me'],
  [{ type: 'interactive', interactive: { list_reply: { title: 'Seven' } } }, 'Seven'],
  [{ type: 'image', image: {} }, '[image]'],
])('%j is shown as %s', (more, text) => {
  expect(saidIn(written('x', 1, more))).toBe(text);
});

test('a tap names the id of a reply button, and the label of a quick reply', () => {
  expect(tapOf({ type: 'REPLY', text: 'Today', id: 'today' })).toEqual({
    type: 'interactive',
    interactive: { type: 'button_reply', button_reply: { id: 'today', title: 'Today' } },
  });
  expect(tapOf({ type: 'QUICK_REPLY', text: 'No' })).toEqual({ type: 'button', button: { text: 'No' } });
});

test('a conversation in the address of the page is a channel and a sender', () => {
  expect(parseThread('sms:SHOP')).toEqual({ key: 'sms:SHOP', channel: 'sms', sender: 'SHOP' });
  expect([parseThread('mail:x'), parseThread('sms:'), parseThread(undefined)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
