import type { Provider } from '@nestjs/common';
import { sweepCallbacks } from '@signalbox/database/reports/callbacks';
import { CALLBACK_QUEUE } from '@signalbox/queues/definitions';
import { Sealer } from '@signalbox/runtime/seal';
import { EntityManager } from 'typeorm';
import { CallbackFormats } from './callback-formats.ts';
import { CallbackReader } from './callback-reader.ts';
import type { Duty } from '../maintenance/duty.ts';
import { rescue } from '../maintenance/lost-jobs.ts';
import { rowsProcessor } from '../worker/rows-processor.ts';

/** Providers of a worker that reads callbacks, of either channel. It consumes CALLBACK_QUEUE. */
export function callbackProviders(): Provider[] {
  return [
    {
      provide: CallbackFormats,
      inject: [EntityManager, Sealer],
      useFactory: (db: EntityManager, sealer: Sealer) =>
        new CallbackFormats(db, sealer, { publicUrl: null, simulatorSecrets: [] }),
    },
    CallbackReader,
    // a callback is marked in the transaction that stores its contents, so a second run finds it processed
    rowsProcessor(CALLBACK_QUEUE, CallbackReader, {
      table: 'callback',
      concurrency: 4,
      countedAs: 'named',
      run: (reader, ids) => reader.read(ids),
    }),
  ];
}

/** Maintenance of callbacks. */
export function callbackDuties(): Duty[] {
  return [
    rescue('callbacks', (ids, { get }) => get(CallbackReader).read(ids)),
    {
      name: 'sweep callbacks',
      everyMs: 60_000,
      lock: 'callback sweep',
      sweep: ({ db }) => sweepCallbacks(db),
    },
  ];
}
