import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { type SealedRow, Sealer } from './seal.ts';

const ROW: SealedRow = { table: 'submission', accountId: 'account 1', id: 'row 1' };

test('a sealed value opens to the same text and does not show it', () => {
  const sealer = new Sealer(randomBytes(32).toString('base64'));

  const sealed = sealer.seal('Your code is 482913', ROW);

  expect(sealer.open(sealed, ROW)).toBe('Your code is 482913');
  expect(sealed.includes('482913')).toBe(false);
  expect(sealer.seal('Your code is 482913', ROW).equals(sealed)).toBe(false);
});

test('another key does not open a value', () => {
  const sealed = new Sealer(randomBytes(32).toString('base64')).seal('secret', ROW);
  const other = new Sealer(randomBytes(32).toString('base64'));

  expect(other.canOpen(sealed)).toBe(false);
  expect(other.tryOpen(sealed, ROW)).toBeUndefined();
  expect(() => other.open(sealed, ROW)).toThrow('another SECRETS_KEY');
});

test('after a rotation older values still open and new values take the new key', () => {
  const [before, after] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
  const sealed = new Sealer(before).seal('secret', ROW);

  const rotated = new Sealer(after, before);

  expect(rotated.open(sealed, ROW)).toBe('secret');
  expect(new Sealer(after).open(rotated.seal('secret', ROW), ROW)).toBe('secret');
  expect(rotated.prefix).toEqual(rotated.seal('secret', ROW).subarray(0, 8));
  expect(rotated.prefix.subarray(0, 4)).not.toEqual(sealed.subarray(0, 4));
});

test('a value that an earlier version sealed still opens', () => {
  const sealed = 'S7BvjgABAgMEBQYHCAkKC9jjF9G32fIJUyEfr-TPLxNr5IoCeH0';

  expect(new Sealer(Buffer.alloc(32, 7).toString('base64')).open(Buffer.from(sealed, 'base64url'), ROW)).toBe(
    'secret',
  );
});

test('a value too short to be sealed does not open', () => {
  const sealer = new Sealer(randomBytes(32).toString('base64'));

  expect(sealer.canOpen(Buffer.alloc(3))).toBe(false);
  expect(sealer.tryOpen(Buffer.alloc(3), ROW)).toBeUndefined();
});

test('a sealed value that was damaged does not open', () => {
  const sealer = new Sealer(randomBytes(32).toString('base64'));
  const sealed = sealer.seal('secret', ROW);
  sealed[sealed.length - 1]! ^= 1;

  expect(() => sealer.open(sealed, ROW)).toThrow();
  expect(sealer.tryOpen(sealed, ROW)).toBeUndefined();
});

test.each<[string, Partial<SealedRow>]>([
  ['account', { accountId: 'account 2' }],
  ['table', { table: 'webhook' }],
  ['id', { id: 'row 2' }],
])('a sealed value does not open in a row of another %s', (_name, other) => {
  const sealer = new Sealer(randomBytes(32).toString('base64'));

  expect(sealer.tryOpen(sealer.seal('secret', ROW), { ...ROW, ...other })).toBeUndefined();
});

test('a sealed value without its mark does not open as one of an earlier version', () => {
  const sealer = new Sealer(randomBytes(32).toString('base64'));
  const sealed = sealer.seal('secret', ROW);

  expect(sealer.tryOpen(Buffer.concat([sealed.subarray(0, 4), sealed.subarray(8)]), ROW)).toBeUndefined();
});
