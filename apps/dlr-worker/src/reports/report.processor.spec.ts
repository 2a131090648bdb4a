import { expect, test } from '@jest/globals';
import { REPORT_QUEUES } from '@signalbox/queues/definitions';
import { createLogger } from '@signalbox/runtime/logger';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { ONE_BY_ONE, STORE_STARTED, runThirdTime, withWorker } from '@signalbox/test/started-rows';
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

test('a job that settles its reports one by one leaves room for another', async () => {
  const [queue] = Object.values(REPORT_QUEUES);
  const slow = await STORE_STARTED.message_event(db);
  const end = Promise.withResolvers<object>();
  const settle = (ids: string[]): Promise<object> =>
    ids.includes(slow[0]) ? end.promise : Promise.resolve({});
  const ReportProcessor = reportProcessor(queue!, slow.length);
  const processor = withWorker(new ReportProcessor({ settle }, db, createLogger('test', 'silent')));
  const run = (ids: string[], attemptsStarted: number): Promise<unknown> =>
    processor.process({ data: { ids }, attemptsStarted, attemptsMade: 0, timestamp: Date.now() } as never);

  const ended: string[] = [];

  const first = run(slow, 3).then(() => ended.push('first'));
  await run(['another'], 1).then(() => ended.push('another'));
  end.resolve({});
  await first;

  expect(ended).toEqual(['another', 'first']);
});
