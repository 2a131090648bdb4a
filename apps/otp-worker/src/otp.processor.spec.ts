import { expect, test } from '@jest/globals';
import { createLogger } from '@signalbox/runtime/logger';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { ONE_BY_ONE, runThirdTime } from '@signalbox/test/started-rows';
import type { OtpMaker } from './otp.maker.ts';
import { OtpProcessor } from './otp.processor.ts';

const { db } = await openSharedRows();

test('a job that runs for the third time makes its codes one by one, and counts each', async () => {
  const logger = createLogger('test', 'silent');
  const third = await runThirdTime(
    db,
    'verification',
    (make) => new OtpProcessor({ make } as unknown as OtpMaker, db, logger),
  );
  expect(third).toEqual(ONE_BY_ONE);
});
