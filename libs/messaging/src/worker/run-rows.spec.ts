import { expect, test } from '@jest/globals';
import { countParked, countStarts, type StartedTable } from '@signalbox/database/ops/starts';
import { MAX_STARTS } from '@signalbox/domain/limits';
import { openRows } from '@signalbox/test/rows';
import { STORE_STARTED } from '@signalbox/test/started-rows';
import { rowsAtATime, runRows } from './run-rows.ts';

const awaitAnswer = async (): Promise<boolean> => false;
const isClosing = (): boolean => false;

test.each(Object.keys(STORE_STARTED) as StartedTable[])(
  'a %s that ends its worker each time is parked alone, and its neighbour is done',
  async (table) => {
    await using rows = await openRows();
    const [deadly, healthy] = await STORE_STARTED[table](rows.db);
    const done: string[] = [];

    for (let attemptsStarted = 1; attemptsStarted <= MAX_STARTS + 5; attemptsStarted += 1) {
      const dies = new Promise<void>((resolve) => {
        const run = async (ids: string[]): Promise<object> => {
          if (ids.includes(deadly)) {
            resolve();
            return new Promise<object>(() => undefined); // the worker is gone
          }
          done.push(...ids);
          return {};
        };
        void runRows(
          { data: { ids: [deadly, healthy] }, attemptsStarted },
          {
            countStarts: (ids) => countStarts(rows.db, table, ids),
            run,
            noteFailure: async () => undefined,
            awaitAnswer,
            isClosing,
          },
        ).then(() => resolve());
      });
      await dies;
    }

    expect(new Set(done)).toEqual(new Set([healthy]));
    expect(await countParked(rows.db)).toMatchObject({ [table]: 1 });
  },
);

test('a first run counts nothing', async () => {
  const run = async (ids: string[]): Promise<object> => ({ ids });
  const none = async (): Promise<string[]> => [];

  expect(
    await runRows(
      { data: { ids: ['a', 'b'] }, attemptsStarted: 1 },
      { countStarts: none, run, noteFailure: none, awaitAnswer, isClosing },
    ),
  ).toEqual({
    ids: ['a', 'b'],
  });
});

test('a row that fails each time fails no other row of its job', async () => {
  const done: string[] = [];
  const run = async ([id]: string[]): Promise<object> => {
    if (id === 'bad') throw new Error('bad row');
    done.push(id!);
    return {};
  };
  const job = { data: { ids: ['a', 'bad', 'b'] }, attemptsStarted: 3 };

  const noted: string[] = [];
  const noteFailure = async (id: string): Promise<number> => noted.push(id);
  await expect(
    runRows(job, { countStarts: async (ids) => ids, run, noteFailure, awaitAnswer, isClosing }),
  ).rejects.toThrow('bad row');

  expect(done).toEqual(['a', 'b']);
  expect(noted).toEqual(['bad']);
});

test('a run that outages end is repeated after them, as the same run', async () => {
  const outages = [new Error('Connection terminated unexpectedly'), new Error('Connection terminated')];
  const run = async (ids: string[]): Promise<object> => {
    const outage = outages.pop();
    if (outage) throw outage;
    return { ids };
  };
  const none = async (): Promise<string[]> => [];
  const job = { data: { ids: ['a', 'b'] }, attemptsStarted: 1 };
  const work = { countStarts: none, run, noteFailure: none, isClosing };

  expect(await runRows(job, { ...work, awaitAnswer: async () => true })).toEqual({ ids: ['a', 'b'] });
  outages.push(new Error('Connection terminated'));
  await expect(runRows(job, { ...work, awaitAnswer })).rejects.toThrow('Connection terminated');
});

test('a job that was given back runs as one that never began', async () => {
  const runs: string[][] = [];
  const run = async (ids: string[]): Promise<object> => ({ count: runs.push(ids) });
  const none = async (): Promise<string[]> => [];
  const job = { data: { ids: ['a', 'b'], givenBack: 2 }, attemptsStarted: 3 };

  await runRows(job, { countStarts: none, run, noteFailure: none, awaitAnswer, isClosing });

  expect([runs, rowsAtATime(job)]).toEqual([[['a', 'b']], 2]);
});

test('a worker that closes leaves the other rows of a job that takes them one by one', async () => {
  const done: string[] = [];
  const run = async (ids: string[]): Promise<object> => ({ count: done.push(...ids) });
  const noteFailure = async (): Promise<void> => undefined;
  const job = { data: { ids: ['a', 'b', 'c'] }, attemptsStarted: 3 };
  const work = { countStarts: async (ids: string[]) => ids, run, noteFailure, awaitAnswer };

  await expect(runRows(job, { ...work, isClosing: () => done.length === 1 })).rejects.toThrow(
    'the worker closes before 2 rows of the job',
  );

  expect(done).toEqual(['a']);
});
