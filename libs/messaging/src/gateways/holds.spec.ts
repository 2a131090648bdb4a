import { expect, test } from '@jest/globals';
import { Holds } from './holds.ts';

test('a gateway that is opened again is held no more, and others are', () => {
  const holds = new Holds(() => 0);
  const message = { sender: 'ACME', recipient: '919800000001' };
  for (const gateway of ['smsc', 'smsc-2'])
    for (const scope of ['gateway', 'pair'] as const)
      holds.note(
        gateway,
        [message],
        [{ messageId: 'id:1', result: 'throttled', scope, retryAfterMs: 60_000 }],
      );

  holds.endAll('smsc');

  expect(holds.heldMs('smsc', message)).toBe(0);
  expect(holds.heldMs('smsc-2', message)).toBe(60_000);
});
