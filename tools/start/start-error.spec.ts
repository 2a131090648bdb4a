import { expect, test } from '@jest/globals';
import { reasonOf } from './start-error.ts';

test.each([
  [
    'EACCES',
    "EACCES: permission denied, open '/data/start.lock'",
    /start\.lock'\. Run this as the user .* --data\.$/,
  ],
  ['EROFS', "EROFS: read-only file system, mkdir '/data'", /\. Name a data folder .* --data\.$/],
  ['ENOSPC', 'ENOSPC: no space left on device, write', /\. The disk is full: free space there\.$/],
  [
    '53100',
    'could not extend file "base/1/2": wrote only 4096 of 8192 bytes',
    /\. The disk .* free space there\.$/,
  ],
])('a start that fails with %s says what to do', (code, message, expected) => {
  expect(reasonOf(Object.assign(new Error(message), { code }))).toMatch(expected);
});

test('an error that says what to do is left as it is', () => {
  expect(reasonOf(new Error('port 3000 is taken. Set PORT to a free one.'))).toBe(
    'port 3000 is taken. Set PORT to a free one.',
  );
});
