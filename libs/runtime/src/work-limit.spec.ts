import { expect, test } from '@jest/globals';
import { WorkLimit } from './work-limit.ts';

test('work runs together up to the limit, and what does not fit waits in order', async () => {
  const { begin, started, end } = setup(10);
  begin('a', 6);
  begin('b', 4);
  begin('c', 5);
  begin('d', 1); // would fit, but came after `c`
  expect(started).toEqual(['a', 'b']);

  await end('b');
  expect(started).toEqual(['a', 'b']);
  await end('a');
  expect(started).toEqual(['a', 'b', 'c', 'd']);
});

test('work heavier than the limit runs alone', async () => {
  const { begin, started, end } = setup(10);
  begin('a', 1);
  begin('heavy', 50);
  begin('b', 1);
  expect(started).toEqual(['a']);

  await end('a');
  expect(started).toEqual(['a', 'heavy']);
  await end('heavy');
  expect(started).toEqual(['a', 'heavy', 'b']);
});

test('all work that waits starts when it should, and later work waits for all of it', async () => {
  const { limit, begin, started, end } = setup(10);
  begin('a', 10);
  begin('b', 10);
  begin('c', 1);

  limit.startAll();
  await new Promise(setImmediate);
  begin('d', 1);
  expect(started).toEqual(['a', 'b', 'c']);

  await end('a');
  await end('b');
  expect(started).toEqual(['a', 'b', 'c', 'd']);
});

test('work that fails makes room', async () => {
  const limit = new WorkLimit(1);

  await expect(limit.run(1, () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');

  expect(await limit.run(1, async () => 'done')).toBe('done');
});

/** A limit whose work ends when the test says so. */
function setup(max: number) {
  const limit = new WorkLimit(max);
  const started: string[] = [];
  const ends = new Map<string, () => Promise<void>>();
  const begin = (name: string, weight: number): void => {
    const work = Promise.withResolvers<void>();
    const run = limit.run(weight, () => {
      started.push(name);
      return work.promise;
    });
    ends.set(name, async () => {
      work.resolve();
      await run;
      await new Promise(setImmediate);
    });
  };
  return { limit, begin, started, end: (name: string) => ends.get(name)!() };
}
