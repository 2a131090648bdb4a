import { expect, test } from '@jest/globals';
import { insertReports } from '@signalbox/database/reports/reports';
import type { QueueDefinition } from '@signalbox/queues/define-queue';
import type { Queues } from '@signalbox/queues/open-queues';
import { REPORT_QUEUES } from '@signalbox/queues/definitions';
import { createLogger } from '@signalbox/runtime/logger';
import { setHostClock } from '@signalbox/test/clocks';
import { type TestRows, accept, makeBatchesDue, newReport, openRows } from '@signalbox/test/rows';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import type { DutyContext } from './duty.ts';
import { rescue } from './lost-jobs.ts';
import { runDuty } from './run-duty.ts';

const NO_JOBS = async (): Promise<Date> => new Date('9999-12-31T00:00:00Z');

test('a report without a job is enqueued and logged', async () => {
  await using t = await setup();
  const worker = t.worker(NO_JOBS);

  await runDuty(rescue('reports', NO_RUN), worker.context);

  expect(worker.enqueued).toEqual([t.reportId]);
  expect(worker.lines).toMatchObject([{ level: 'warn', event: 'report.rescued', count: 1 }]);
});

test('the rescue continues when the clock of the host is set back', async () => {
  await using t = await setup();
  const worker = t.worker(NO_JOBS);
  const duty = rescue('reports', NO_RUN);
  await runDuty(duty, worker.context);
  const later = await t.addReport('15 seconds');

  using _ = setHostClock(-3_600_000);
  await waitFor(async () => (await runDuty(duty, worker.context), worker.enqueued.length > 1), {
    otherwise: 'the rescue has stopped',
  });

  expect(worker.enqueued).toEqual([t.reportId, later]);
});

test('a queue that never answers fails the pass before it counts a start', async () => {
  await using t = await setup();

  await expect(runDuty(rescue('reports', NO_RUN), t.worker(NEVER).context)).rejects.toThrow('did not answer');

  expect(await t.rows.db.query('SELECT starts FROM message_event')).toEqual([{ starts: 0 }]);
});

test('a queue that never answers one worker blocks no rescue by another', async () => {
  await using t = await setup();
  const healthy = t.worker(NO_JOBS);
  const stuck = runDuty(rescue('reports', NO_RUN), t.worker(NEVER).context).catch(() => 'failed');

  await runDuty(rescue('reports', NO_RUN), healthy.context);

  expect(healthy.enqueued).toEqual([t.reportId]);
  expect(await stuck).toBe('failed');
});

test('rows are processed without jobs while their queue is unreachable, and enqueued later', async () => {
  await using t = await setup();
  const [young, done]: [string, string[]] = [await t.addReport('3 seconds'), []];
  let isAway = true;
  const worker = t.worker(async () => {
    if (isAway) throw new Error('the queue is away');
    return new Date();
  });
  const duty = rescue('reports', async (ids) => void done.push(...ids));

  await expect(runDuty(duty, worker.context)).rejects.toThrow('away');
  expect(done).toEqual([]);
  await runDuty(duty, worker.context);
  expect(done.toSorted()).toEqual([t.reportId, young].toSorted());
  await runDuty(duty, worker.context);
  expect(done).toHaveLength(2);
  expect(worker.lines).toMatchObject([{ event: 'report.rescued', count: 2, isQueueReachable: false }]);

  isAway = false;
  await t.rows.db.query(`UPDATE message_event SET starts = 0, due_at = received_at + interval '10 seconds'`);
  await runDuty(duty, worker.context);
  expect(worker.enqueued).toEqual([t.reportId]);
  expect(done).toHaveLength(2);
});

test.each([
  ['dlr', 0],
  ['dlr-bulk', 1],
])('while Redis is down and %s is paused, a report is pushed %i times', async (paused, count) => {
  await using t = await setup();
  const done: string[] = [];
  let isAway = false;
  const answer = async (): Promise<Date> => {
    if (isAway) throw new Error('the queue is away');
    return new Date(0);
  };
  const { context } = t.worker(answer, paused);
  const duty = rescue('reports', async (ids) => void done.push(...ids));
  const fails = () =>
    runDuty(duty, context).then(
      () => false,
      () => true,
    );
  await runDuty(duty, context);

  isAway = true;
  await waitFor(fails, { otherwise: 'the outage was not noticed' });
  await runDuty(duty, context);

  expect(done).toHaveLength(count);
});

test('a batch that fails in place of its job leaves the others to run, and fails the pass', async () => {
  await using t = await setup();
  for (let i = 0; i < REPORT_QUEUES.OTHER.maxWeight; i += 1) await t.addReport('15 seconds');
  const worker = t.worker(NEVER);
  const sizes: number[] = [];
  const duty = rescue('reports', async (ids) => {
    if (sizes.push(ids.length) === 1) throw new Error('this batch fails');
  });

  await expect(runDuty(duty, worker.context)).rejects.toThrow('did not answer');
  await expect(runDuty(duty, worker.context)).rejects.toThrow('this batch fails');

  expect(sizes).toEqual([REPORT_QUEUES.OTHER.maxWeight, 1]);
});

const NO_RUN = (): Promise<never> => Promise.reject(new Error('the queue is reachable'));

const NEVER = (): Promise<Date> => new Promise(() => undefined);

async function setup() {
  const rows = await openRows();
  const { id } = await accept(rows.db);
  const addReport = async (age: string): Promise<string> => {
    const report = newReport(id);
    await insertReports(rows.db, [report]);
    const makeOlder = `UPDATE message_event SET received_at = now() - $1::interval WHERE id = $2`;
    await rows.db.query(makeOlder, [age, report.id]);
    await makeBatchesDue(rows.db);
    return report.id;
  };
  return {
    rows,
    reportId: await addReport('15 seconds'),
    addReport,
    worker: (oldestJobAt: () => Promise<Date>, paused?: string) => workerOn(rows, oldestJobAt, paused),
    [Symbol.asyncDispose]: () => rows[Symbol.asyncDispose](),
  };
}

function workerOn({ db }: TestRows, oldestJobAt: () => Promise<Date>, paused?: string) {
  const [enqueued, lines]: [string[], object[]] = [[], []];
  const enqueue = (ids: string[]): void => void enqueued.push(...ids);
  const open = ({ name }: QueueDefinition) => {
    return { name, admin: { isPaused: async () => name === paused }, oldestJobAt, enqueue };
  };
  const context: DutyContext = {
    db,
    queues: { get: open } as unknown as Queues,
    logger: createLogger('test', 'info', { write: (line) => void lines.push(JSON.parse(line) as object) }),
    get: () => {
      throw new Error('this duty uses no providers');
    },
  };
  return { context, enqueued, lines };
}
