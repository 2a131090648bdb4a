import { expect, test } from '@jest/globals';
import { readStopWord } from './stop-word.ts';

test.each([
  ['STOP', 'stop'],
  [' Stop.\n', 'stop'],
  ['start', 'start'],
  ['START.', 'start'],
])('%j asks to %s', (text, wish) => {
  expect(readStopWord(text)).toBe(wish);
});

test.each(['', '.', 'STOP please', "don't stop", 'STOPP', 'stop..', 'constructor', 'ＳＴＯＰ'])(
  '%j is a message as any other',
  (text) => {
    expect(readStopWord(text)).toBeUndefined();
  },
);
