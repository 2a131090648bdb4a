import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { Sealer } from './seal.ts';

test('what is sealed opens to the same text, and shows nothing of it', () => {
  const sealer = new Sealer(randomBytes(32).toString('base64'));

  const sealed = sealer.seal('Your code is 482913');

  expect(sealer.open(sealed)).toBe('Your code is 482913');
  expect(sealed.includes('482913')).toBe(false);
  expect(sealer.seal('Your code is 482913').equals(sealed)).toBe(false);
});

test('another key cannot open it, and is known not to', () => {
  const sealed = new Sealer(randomBytes(32).toString('base64')).seal('secret');
  const other = new Sealer(randomBytes(32).toString('base64'));

  expect(other.canOpen(sealed)).toBe(false);
  expect(() => other.open(sealed)).toThrow('another SECRETS_KEY');
});

test('a sealed value that was changed does not open', () => {
  const sealer = new Sealer(randomBytes(32).toString('base64'));
  const sealed = sealer.seal('secret');
  sealed[sealed.length - 1]! ^= 1;

  expect(() => sealer.open(sealed)).toThrow();
});
