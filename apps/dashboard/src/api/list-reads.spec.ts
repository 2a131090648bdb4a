import { expect, test } from '@jest/globals';
import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query';
import type { ApiFailure } from './failure.ts';
import { type ListPages, type ListPlace, type Page, START, placeAfter } from './list-place.ts';
import { listReads } from './list-reads.ts';

test('the page after one that is read again follows it', async () => {
  await using t = await setup();

  t.refresh();
  const more = t.reads('a').loadMore();
  t.release();
  await more;

  expect(t.rowsOf('a')).toEqual(['a0', 'a1']);
});

test('a list that changed its filter reads no further page for the former one', async () => {
  await using t = await setup();

  t.refresh();
  const more = t.reads('a').loadMore();
  t.show('b');
  t.release();
  await more;

  expect(t.rowsOf('b')).toEqual(['b0']);
  expect(t.calls).toEqual(['a0', 'b0', 'a0']);
});

test('a list that changed its filter keeps the pages of the former one', async () => {
  await using t = await setup();
  for (let page = 1; page <= 4; page += 1) await t.reads('a').loadMore();
  const kept = t.rowsOf('a');

  t.refresh();
  const back = t.reads('a').loadBack(0);
  t.show('b');
  t.release();
  await back;

  expect(kept).toEqual(['a3', 'a4']);
  expect(t.rowsOf('a')).toEqual(kept);
  expect(t.calls.slice(-2)).toEqual(['a4', 'a3']);
});

test('a place far back whose read failed is read again before the page after it', async () => {
  await using t = await setup();
  for (let page = 1; page <= 4; page += 1) await t.reads('a').loadMore();

  t.fail();
  await t.reads('a').loadBack(0);
  await t.untilIdle('a');
  t.recover();
  await t.reads('a').loadMore();
  await t.reads('a').loadMore();

  expect(t.rowsOf('a')).toEqual(['a0', 'a1']);
  expect(t.calls.slice(-3)).toEqual(['a0', 'a0', 'a1']);
});

/** A list of pages of one row that keeps two of them. It has shown the filters `a`, `b` and `a` again. */
async function setup() {
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, retry: false } } });
  const calls: string[] = [];
  let held: PromiseWithResolvers<void> | undefined;
  let isDown = false;
  const read = async (filter: string, { cursor = '0' }: ListPlace, signal: AbortSignal) => {
    calls.push(`${filter}${cursor}`);
    await held?.promise;
    signal.throwIfAborted();
    if (isDown) throw new Error('The api is down.');
    return { data: [`${filter}${cursor}`], nextCursor: String(Number(cursor) + 1) };
  };
  const optionsOf = (filter: string) => ({
    queryKey: [filter],
    queryFn: ({ pageParam, signal }: { pageParam: ListPlace; signal: AbortSignal }) =>
      read(filter, pageParam, signal),
    initialPageParam: START,
    getNextPageParam: (last: Page<string>, _: unknown, place: ListPlace) => placeAfter(place, last),
    getPreviousPageParam: (_: unknown, __: unknown, place: ListPlace) => place.previous,
    maxPages: 2,
  });
  const list = new InfiniteQueryObserver<Page<string>, ApiFailure, ListPages<string>, string[], ListPlace>(
    queries,
    optionsOf('a'),
  );
  const end = list.subscribe(() => undefined);
  const t = {
    calls,
    show: (filter: string) => list.setOptions(optionsOf(filter)),
    reads: (filter: string) => listReads<string>(queries, [filter], list),
    rowsOf: (filter: string) =>
      queries.getQueryData<ListPages<string>>([filter])?.pages.flatMap(({ data }) => data),
    /** Begins to read the list again, and holds that read until `release`. */
    refresh: () => {
      held = Promise.withResolvers();
      void list.refetch();
    },
    release: () => held?.resolve(),
    /** Lets reads fail until `recover`. */
    fail: () => {
      isDown = true;
    },
    recover: () => {
      isDown = false;
    },
    /** Waits for the read under way. */
    untilIdle: async (filter: string) => {
      while (queries.isFetching({ queryKey: [filter] })) await list.refetch({ cancelRefetch: false });
    },
    [Symbol.asyncDispose]: async () => {
      end();
      queries.clear();
    },
  };
  await list.refetch({ cancelRefetch: false });
  t.show('b');
  await list.refetch({ cancelRefetch: false });
  t.show('a');
  return t;
}
