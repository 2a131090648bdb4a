import { expect, test } from '@jest/globals';
import { REPORT_QUEUES } from '@signalbox/queues/definitions';
import { createLogger } from '@signalbox/runtime/logger';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { ONE_BY_ONE, runThirdTime } from '@signalbox/test/started-rows';
import { reportProcessor } from './report.processor.ts';

const { db } = await openSharedRows();

test('a job that runs for the third time settles its reports one by one, and counts each', async () => {
  const [queue] = Object.values(REPORT_QUEUES);
  const ReportProcessor = reportProcessor(queue!, 1);
  const logger = createLogger('test', 'silent');
  const third = await runThirdTime(
    db,
    'message_event',
    (settle) => new ReportProcessor({ settle }, db, logger),
  );
  expect(third).toEqual(ONE_BY_ONE);
});
