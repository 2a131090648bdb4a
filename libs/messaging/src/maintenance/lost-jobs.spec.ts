import { expect, test } from '@jest/globals';
import { insertReports } from '@signalbox/database/reports/reports';
import type { Queues } from '@signalbox/queues/open-queues';
import { createLogger } from '@signalbox/runtime/logger';
import { type TestRows, accept, newReport, openRows } from '@signalbox/test/rows';
import type { DutyContext } from './duty.ts';
import { rescue } from './lost-jobs.ts';
import { runDuty } from './run-duty.ts';

const NO_JOBS = async (): Promise<Date> => new Date();

test('a report without a job is enqueued and logged', async () => {
  await using t = await setup();
  const worker = t.worker(NO_JOBS);

  await runDuty(rescue('reports'), worker.context);

  expect(worker.enqueued).toEqual([t.reportId]);
  expect(worker.lines).toMatchObject([{ level: 'warn', event: 'report.rescued', count: 1 }]);
});

test('a queue that never answers fails the pass before it counts a start', async () => {
  await using t = await setup();

  await expect(runDuty(rescue('reports'), t.worker(NEVER).context)).rejects.toThrow('did not answer');

  expect(await t.rows.db.query('SELECT starts FROM message_event')).toEqual([{ starts: 0 }]);
});

test('a queue that never answers one worker blocks no rescue by another', async () => {
  await using t = await setup();
  const healthy = t.worker(NO_JOBS);
  const stuck = runDuty(rescue('reports'), t.worker(NEVER).context).catch(() => 'failed');

  await runDuty(rescue('reports'), healthy.context);

  expect(healthy.enqueued).toEqual([t.reportId]);
  expect(await stuck).toBe('failed');
});

const NEVER = (): Promise<Date> => new Promise(() => undefined);

async function setup() {
  const rows = await openRows();
  const { id } = await accept(rows.db);
  const report = newReport(id);
  await insertReports(rows.db, [report]);
  await rows.db.query(`UPDATE message_event SET received_at = now() - interval '1 minute'`);
  return {
    rows,
    reportId: report.id,
    worker: (oldestJobAt: () => Promise<Date>) => workerOn(rows, oldestJobAt),
    [Symbol.asyncDispose]: () => rows[Symbol.asyncDispose](),
  };
}

function workerOn({ db }: TestRows, oldestJobAt: () => Promise<Date>) {
  const [enqueued, lines]: [string[], object[]] = [[], []];
  const queue = { name: 'dlr', oldestJobAt, enqueue: (ids: string[]) => void enqueued.push(...ids) };
  const context: DutyContext = {
    db,
    queues: { get: () => queue } as unknown as Queues,
    logger: createLogger('test', 'info', { write: (line) => void lines.push(JSON.parse(line) as object) }),
    get: () => {
      throw new Error('this duty uses no providers');
    },
  };
  return { context, enqueued, lines };
}
