import { expect, test } from '@jest/globals';
import { OutcomeCounts } from './outcome-counts.ts';

const REJECTED = { messageId: 'm:1', result: 'rejected', description: '', tryOther: true } as const;
const THROTTLED = { messageId: 'm:1', result: 'throttled', scope: 'message', retryAfterMs: 1 } as const;

test('a fault of the gateway counts against its health, and a limit of its rate does not', () => {
  const counts = new OutcomeCounts();

  counts.countOutcomes('one', [{ ...THROTTLED, isFault: true }, THROTTLED, THROTTLED]);

  expect(counts.take()).toEqual([{ gateway: 'one', accepted: 0, refused: 1, delivered: 0, failed: 0 }]);
});

test('a sender that a gateway refuses does not count against its health', () => {
  const counts = new OutcomeCounts();

  counts.countOutcomes('one', [
    { ...REJECTED, errCode: '007' },
    { ...REJECTED, errCode: '012' },
  ]);

  expect(counts.take()).toEqual([{ gateway: 'one', accepted: 0, refused: 1, delivered: 0, failed: 0 }]);
});
