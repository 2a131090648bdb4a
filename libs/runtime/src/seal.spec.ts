import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { Sealer } from './seal.ts';

test('a sealed value opens to the same text and does not show it', () => {
  const sealer = new Sealer(randomBytes(32).toString('base64'));

  const sealed = sealer.seal('Your code is 482913');

  expect(sealer.open(sealed)).toBe('Your code is 482913');
  expect(sealed.includes('482913')).toBe(false);
  expect(sealer.seal('Your code is 482913').equals(sealed)).toBe(false);
});

test('another key does not open a value', () => {
  const sealed = new Sealer(randomBytes(32).toString('base64')).seal('secret');
  const other = new Sealer(randomBytes(32).toString('base64'));

  expect(other.canOpen(sealed)).toBe(false);
  expect(other.tryOpen(sealed)).toBeUndefined();
  expect(() => other.open(sealed)).toThrow('another SECRETS_KEY');
});

test('after a rotation older values still open and new values take the new key', () => {
  const [before, after] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
  const sealed = new Sealer(before).seal('secret');

  const rotated = new Sealer(after, before);

  expect(rotated.open(sealed)).toBe('secret');
  expect(new Sealer(after).open(rotated.seal('secret'))).toBe('secret');
  expect(rotated.olderKeyIds).toEqual([sealed.subarray(0, 4)]);
});

test('a value that an earlier version sealed still opens', () => {
  const sealed = 'S7BvjgABAgMEBQYHCAkKC9jjF9G32fIJUyEfr-TPLxNr5IoCeH0';

  expect(new Sealer(Buffer.alloc(32, 7).toString('base64')).open(Buffer.from(sealed, 'base64url'))).toBe(
    'secret',
  );
});

test('a value too short to be sealed does not open', () => {
  const sealer = new Sealer(randomBytes(32).toString('base64'));

  expect(sealer.canOpen(Buffer.alloc(3))).toBe(false);
  expect(sealer.tryOpen(Buffer.alloc(3))).toBeUndefined();
});

test('a sealed value that was damaged does not open', () => {
  const sealer = new Sealer(randomBytes(32).toString('base64'));
  const sealed = sealer.seal('secret');
  sealed[sealed.length - 1]! ^= 1;

  expect(() => sealer.open(sealed)).toThrow();
  expect(sealer.tryOpen(sealed)).toBeUndefined();
});
