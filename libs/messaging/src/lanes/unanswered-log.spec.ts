import { expect, test } from '@jest/globals';
import { UnansweredLog } from './unanswered-log.ts';

test('messages without an answer are one line a minute for each gateway, and all are counted', () => {
  const lines: unknown[] = [];
  const clock = { ms: 0 };
  const log = new UnansweredLog(
    { warn: (fields, event) => void lines.push([event, fields]) },
    () => clock.ms,
  );

  for (const count of [0, 1, 10, 20]) log.note('a', count);
  log.note('b', 2);
  clock.ms = 60_000;
  log.note('a', 5);
  log.note('a', 5);

  expect(lines).toEqual([
    ['submit.timed_out', { gateway: 'a', count: 1 }],
    ['submit.timed_out', { gateway: 'b', count: 2 }],
    ['submit.timed_out', { gateway: 'a', count: 35 }],
  ]);
});
