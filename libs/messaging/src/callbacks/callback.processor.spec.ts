import { expect, test } from '@jest/globals';
import { createLogger } from '@signalbox/runtime/logger';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { ONE_BY_ONE, runThirdTime } from '@signalbox/test/started-rows';
import { CallbackProcessor } from './callback.processor.ts';
import type { CallbackReader } from './callback-reader.ts';

const { db } = await openSharedRows();

test('a job that runs for the third time reads its callbacks one by one, and counts each', async () => {
  const logger = createLogger('test', 'silent');
  const third = await runThirdTime(
    db,
    'callback',
    (read) => new CallbackProcessor({ read } as unknown as CallbackReader, db, logger),
  );
  expect(third).toEqual(ONE_BY_ONE);
});
