import { randomUUIDv7 } from 'node:crypto';
import type { StartedTable } from '@signalbox/database/ops/starts';
import { insertCallbacks } from '@signalbox/database/reports/callbacks';
import { insertReports } from '@signalbox/database/reports/reports';
import { insertTemplates } from '@signalbox/database/templates/templates';
import { insertVerifications } from '@signalbox/database/verify/verifications';
import type { EntityManager } from 'typeorm';
import { accept, addSender, newReport, newVerification } from './rows.ts';

type Pair = [first: string, second: string];

/** Stores two open rows of each table that counts the runs of its jobs, and returns their ids. */
export const STORE_STARTED: Record<StartedTable, (db: EntityManager) => Promise<Pair>> = {
  message_event: async (db) => {
    const { id } = await accept(db);
    const [first, second] = [newReport(id), newReport(id)];
    await insertReports(db, [first, second]);
    return [first.id, second.id];
  },
  callback: async (db) => {
    const ids: Pair = [randomUUIDv7(), randomUUIDv7()];
    await insertCallbacks(
      db,
      ids.map((id) => ({ id, gateway: 'simulator', body: Buffer.from('') })),
    );
    return ids;
  },
  verification: async (db) => {
    const [first, second] = [newVerification(), newVerification({ recipient: '919800000200' })];
    await insertVerifications(db, [first, second]);
    return [first.id, second.id];
  },
  template: async (db) => {
    const accountId = randomUUIDv7();
    const chatAccountId = await addSender(db, accountId);
    const ids: Pair = [randomUUIDv7(), randomUUIDv7()];
    const templates = ids.map((id, i) => ({
      id,
      chatAccountId,
      name: `name_${i}`,
      language: 'en',
      category: 'UTILITY' as const,
      components: [{ type: 'BODY', text: 'Your order has left our house.' }],
      allowCategoryChange: false,
      codeExpirationMinutes: null,
    }));
    await insertTemplates(db, accountId, templates, 'test', new Date());
    return ids;
  },
};

/** A processor of BullMQ. */
interface Processor {
  process(job: never): Promise<unknown>;
}

/** A third run of a job of two rows, of which the first fails. */
export interface ThirdRun {
  /** The rows of each call of the work, as places in the job. */
  runs: number[][];
  /** The starts of both rows. */
  starts: number[];
  /** The errors that are noted for operators. */
  noted: string[];
}

/** The third run by a processor that counts each row and runs it by itself. */
export const ONE_BY_ONE: ThirdRun = { runs: [[0], [1]], starts: [1, 1], noted: ['Error: bad row'] };

/** Runs a job of two stored rows for the third time, by a processor whose work fails for the first row. */
export async function runThirdTime(
  db: EntityManager,
  table: StartedTable,
  processorOf: (work: (ids: string[]) => Promise<object>) => Processor,
): Promise<ThirdRun> {
  const ids = await STORE_STARTED[table](db);
  const runs: number[][] = [];
  const work = async (given: string[]): Promise<object> => {
    runs.push(given.map((id) => ids.indexOf(id)));
    if (given.includes(ids[0])) throw new Error('bad row');
    return {};
  };
  const job = { data: { ids }, attemptsStarted: 3, attemptsMade: 0, queueName: table, timestamp: Date.now() };
  await withWorker(processorOf(work))
    .process(job as never)
    .catch(() => undefined);
  const rows: { starts: number }[] = await db.query(
    `SELECT starts FROM ${table} WHERE id = ANY($1) ORDER BY array_position($1, id)`,
    [ids],
  );
  const noted: { error: string }[] = await db.query('SELECT error FROM row_failure WHERE id = ANY($1)', [
    ids,
  ]);
  return { runs, starts: rows.map(({ starts }) => starts), noted: noted.map(({ error }) => error) };
}

/** Gives a processor a worker that is not closing. */
export function withWorker<T extends Processor>(processor: T): T {
  return Object.defineProperty(processor, 'worker', { value: { closing: undefined } });
}
