import { expect, test } from '@jest/globals';
import { OTP_QUEUE } from '@signalbox/queues/definitions';
import { createLogger } from '@signalbox/runtime/logger';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { ONE_BY_ONE, runThirdTime } from '@signalbox/test/started-rows';
import { rowsProcessor } from './rows-processor.ts';

class Service {
  constructor(readonly work: (ids: string[]) => Promise<object>) {}
}

const { db } = await openSharedRows();

test.each(['callback', 'template', 'verification'] as const)(
  'a job that runs for the third time runs its rows of %s one by one, and counts each',
  async (table) => {
    const RowsProcessor = rowsProcessor(OTP_QUEUE, Service, {
      table,
      concurrency: 1,
      countedAs: 'rows',
      run: (service, ids) => service.work(ids),
    });

    const third = await runThirdTime(
      db,
      table,
      (work) => new RowsProcessor(new Service(work), db, createLogger('test', 'silent')),
    );

    expect(third).toEqual(ONE_BY_ONE);
  },
);
