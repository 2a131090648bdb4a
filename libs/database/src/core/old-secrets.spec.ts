import { expect, test } from '@jest/globals';
import { type OldSecret, replacedSecrets } from './old-secrets.ts';

const NOW = new Date('2026-11-27T12:00:00.000Z');
const DAY_MS = 86_400_000;

/** A replaced secret that ends some days from now. */
const ending = (name: string, days: number): OldSecret => ({
  sealed: Buffer.from(name).toString('base64'),
  until: new Date(NOW.getTime() + days * DAY_MS).toISOString(),
});

test('a replaced secret is kept with those that are still valid', () => {
  const before = [ending('valid', 1), ending('ended', -1), ending('ends now', 0)];

  expect(replacedSecrets(Buffer.from('newest'), before, NOW, 2 * DAY_MS)).toEqual([
    ending('newest', 2),
    ending('valid', 1),
  ]);
});

test('the fifth replaced secret drops the oldest', () => {
  const before = [4, 3, 2, 1].map((day) => ending(`day ${day}`, day));

  expect(replacedSecrets(Buffer.from('newest'), before, NOW, 5 * DAY_MS)).toEqual([
    ending('newest', 5),
    ...before.slice(0, 3),
  ]);
});
