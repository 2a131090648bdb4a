import { expect, test } from '@jest/globals';
import type { DutyContext } from './duty.ts';
import { walked } from './walked.ts';

test('a walk continues behind its last stretch until its end, and then begins again', async () => {
  const froms: number[] = [];
  const sweep = walked(0, async (_, from) => {
    froms.push(from);
    return { next: from === 200 ? null : from + 100 };
  });

  const counts = [];
  for (let batch = 0; batch < 4; batch += 1) counts.push(await sweep({} as DutyContext));

  expect([froms, counts]).toEqual([
    [0, 100, 200, 0],
    [1, 1, 0, 1],
  ]);
});
