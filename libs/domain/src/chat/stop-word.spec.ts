import { expect, test } from '@jest/globals';
import { parseStopWord } from './stop-word.ts';

test.each([
  ['STOP', 'stop'],
  [' Stop.\n', 'stop'],
  ['start', 'start'],
  ['START.', 'start'],
])('%j means %s', (text, word) => {
  expect(parseStopWord(text)).toBe(word);
});

test.each(['', '.', 'STOP please', "don't stop", 'STOPP', 'stop..', 'constructor', 'ＳＴＯＰ'])(
  '%j is not a stop word',
  (text) => {
    expect(parseStopWord(text)).toBeUndefined();
  },
);
