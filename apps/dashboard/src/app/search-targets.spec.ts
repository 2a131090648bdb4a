import { expect, test } from '@jest/globals';
import { targetsOf } from './search-targets.ts';

const ID = '019e6f0c-5a53-7d0c-8a4e-6f1f0a6d2b11';

test.each([
  [`${ID}:2`, `/messages/${ID}:2`],
  [` ${ID.toUpperCase()}:2\n`, `/messages/${ID}:2`],
  ['919800000100', '/messages?recipient=919800000100'],
  ['+91 98000-00100', '/messages?recipient=919800000100'],
  ['00919800000100', '/messages?recipient=919800000100'],
])('%j leads to %s', (text, path) => {
  expect(targetsOf(text).map((target) => target.path)).toEqual([path]);
});

test.each(['', 'templates', '12345', ID, `${ID}:0`, '<script>'])(
  '%j is neither a message id nor a number',
  (text) => {
    expect(targetsOf(text)).toEqual([]);
  },
);
