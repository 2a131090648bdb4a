import { expect, test } from '@jest/globals';
import { type FlowStep, checkFlow } from './otp-flow.ts';

const CHAT: FlowStep = { channel: 'chatapp', afterSeconds: 0 };
const SMS: FlowStep = { channel: 'sms', afterSeconds: 0 };

test.each<[string, FlowStep[], string[]]>([
  ['one channel', [SMS], []],
  ['chat-app, then SMS', [CHAT, { ...SMS, afterSeconds: 30 }], []],
  ['SMS, then chat-app', [SMS, { ...CHAT, afterSeconds: 5 }], []],
  ['a last step just before the end', [CHAT, { ...SMS, afterSeconds: 299 }], []],
  ['a last step at the end', [CHAT, { ...SMS, afterSeconds: 300 }], ['flow[1].afterSeconds out_of_range']],
  [
    'a step less than 5 s after the first',
    [CHAT, { ...SMS, afterSeconds: 4 }],
    ['flow[1].afterSeconds out_of_range'],
  ],
  ['a first step that waits', [{ ...CHAT, afterSeconds: 5 }], ['flow[0].afterSeconds not_allowed_value']],
  ['a channel twice', [CHAT, { ...CHAT, afterSeconds: 30 }], ['flow[1].channel duplicate_item']],
  [
    'a step earlier than the one before',
    [
      { ...CHAT, afterSeconds: 60 },
      { ...SMS, afterSeconds: 30 },
    ],
    ['flow[0].afterSeconds not_allowed_value', 'flow[1].afterSeconds out_of_range'],
  ],
])('the broken rules are listed for %s', (_name, flow, expected) => {
  expect(checkFlow(flow, 300).map(({ field, rule }) => `${field} ${rule}`)).toEqual(expected);
});

test('a flow of any length is checked in linear time', () => {
  const flow = Array.from({ length: 100_000 }, (_, i) => ({ ...SMS, afterSeconds: i === 0 ? 0 : i + 4 }));
  const startedAt = performance.now();
  expect(checkFlow(flow, 1_000_000)).toHaveLength(99_999);
  expect(performance.now() - startedAt).toBeLessThan(20_000);
});
