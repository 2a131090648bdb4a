import { countStarts } from '@signalbox/database/ops/starts';
import { noteRowFailures } from '@signalbox/database/ops/row-failures';
import { awaitAnswer } from '@signalbox/messaging/worker/await-answer';
import type { RowsWork } from '@signalbox/messaging/worker/run-rows';
import type { EntityManager } from 'typeorm';

/** The work of a job of reports, or of a deferred batch, in a worker that may be closing. */
export function reportWork(db: EntityManager, isClosing: () => boolean, run: RowsWork['run']): RowsWork {
  return {
    countStarts: (ids) => countStarts(db, 'message_event', ids),
    run,
    noteFailure: (id, error) => noteRowFailures(db, 'report', [id], String(error)),
    awaitAnswer: () => awaitAnswer(db, isClosing),
  };
}
