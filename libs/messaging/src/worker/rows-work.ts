import { noteRowFailures } from '@signalbox/database/ops/row-failures';
import { type StartedTable, countStarts } from '@signalbox/database/ops/starts';
import type { EntityManager } from 'typeorm';
import { awaitAnswer } from './await-answer.ts';
import type { RowsWork } from './run-rows.ts';

/** The work of a job whose rows are in a table that counts their starts, in a worker that may be closing. */
export function rowsWork(
  db: EntityManager,
  table: StartedTable,
  isClosing: () => boolean,
  run: RowsWork['run'],
): RowsWork {
  const kind = table === 'message_event' ? 'report' : table;
  return {
    countStarts: (ids) => countStarts(db, table, ids),
    run,
    noteFailure: (id, error) => noteRowFailures(db, kind, [id], String(error)),
    awaitAnswer: () => awaitAnswer(db, isClosing),
    isClosing,
  };
}
