import { expect, test } from '@jest/globals';
import { CHANNELS } from '../channel.ts';
import { parseStopWord } from './stop-word.ts';

test.each([
  ['STOP', 'stop'],
  [' Stop.\n', 'stop'],
  ['Stop all', 'stop'],
  ['STOPALL', 'stop'],
  ['Unsubscribe', 'stop'],
  ['opt-out', 'stop'],
  ['OPT OUT.', 'stop'],
  ['Revoke', 'stop'],
  ['start', 'start'],
  ['START.', 'start'],
  ['Unstop', 'start'],
])('%j means %s', (text, word) => {
  expect(CHANNELS.map((channel) => parseStopWord(text, channel))).toEqual(CHANNELS.map(() => word));
});

test.each(['Cancel', 'END', 'quit.'])('%j is a refusal in an SMS only', (text) => {
  expect(parseStopWord(text, 'sms')).toBe('stop');
  expect(parseStopWord(text, 'chatapp')).toBeUndefined();
});

test.each([
  '',
  '.',
  'STOP please',
  "don't stop",
  'STOPP',
  'stop..',
  'constructor',
  'ＳＴＯＰ',
  'yes',
  'the end',
  `s${' '.repeat(40)}top`,
])('%j is not a stop word', (text) => {
  expect(CHANNELS.map((channel) => parseStopWord(text, channel))).toEqual(CHANNELS.map(() => undefined));
});
