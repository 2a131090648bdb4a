import { expect, test } from '@jest/globals';
import { OutcomeCounts } from './outcome-counts.ts';

const THROTTLED = { messageId: 'm:1', result: 'throttled', scope: 'message', retryAfterMs: 1 } as const;

test('a fault of the gateway counts against its health, and a limit of its rate does not', () => {
  const counts = new OutcomeCounts();

  counts.countOutcomes('one', [{ ...THROTTLED, isFault: true }, THROTTLED, THROTTLED]);

  expect(counts.take()).toEqual([{ gateway: 'one', accepted: 0, refused: 1, delivered: 0, failed: 0 }]);
});
