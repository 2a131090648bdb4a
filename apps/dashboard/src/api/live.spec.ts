import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { InfiniteQueryObserver, hashKey } from '@tanstack/react-query';
import { type ListPages, type ListPlace, type Page, START, placeAfter } from './list-place.ts';
import { holdList, startLive } from './live.ts';
import { queries } from './queries.ts';

/** The stream of a page, whose events the test sends. */
class FakeStream extends EventTarget {
  static latest: FakeStream;
  readonly readyState = 1;
  constructor() {
    super();
    FakeStream.latest = this;
  }
  close(): void {}
}

const KEY = ['orphans'];
const HASH = hashKey(KEY);
let stop: () => void;

beforeEach(() => {
  const page = Object.assign(new EventTarget(), { hidden: false });
  Object.assign(globalThis, {
    EventSource: Object.assign(FakeStream, { OPEN: 1, CLOSED: 2 }),
    document: page,
  });
  stop = startLive();
});

afterEach(() => {
  stop();
  queries.clear();
});

/** Shows a live list. `calls` has the pages that were read; reads wait while they are held. */
async function showList() {
  const calls: number[] = [];
  let gate = Promise.resolve();
  const observer = new InfiniteQueryObserver<Page<number>, Error, ListPages<number>, string[], ListPlace>(
    queries,
    {
      queryKey: KEY,
      queryFn: async ({ pageParam }) => {
        const page = Number(pageParam.cursor ?? 0);
        calls.push(page);
        await gate;
        return { data: [page], nextCursor: String(page + 1) };
      },
      initialPageParam: START,
      getNextPageParam: (last, _, place) => placeAfter(place, last),
      meta: { live: ['orphan'] },
    },
  );
  const end = observer.subscribe(() => undefined);
  await observer.refetch();
  calls.length = 0;
  return {
    calls,
    readMore: () => observer.fetchNextPage(),
    sendEvent: () => FakeStream.latest.dispatchEvent(new Event('orphan')),
    untilRead: async () => {
      do await new Promise(setImmediate);
      while (queries.isFetching() > 0);
    },
    countPages: () => queries.getQueryData<ListPages<number>>(KEY)!.pages.length,
    holdReads: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
    end,
  };
}

test('an event has all pages of a list read again', async () => {
  const list = await showList();
  await list.readMore();
  list.calls.length = 0;

  list.sendEvent();
  await list.untilRead();

  expect(list.calls).toEqual([0, 1]);
  list.end();
});

test('a held list stays as it is, and is read again after the last hold', async () => {
  const list = await showList();
  for (let pages = 2; pages <= 4; pages += 1) await list.readMore();
  list.calls.length = 0;
  const ends = [holdList(HASH), holdList(HASH)];

  list.sendEvent();
  ends[0]!();
  await list.untilRead();
  expect(list.calls).toEqual([]);

  ends[1]!();
  await list.untilRead();
  expect(list.calls).toEqual([0, 1]);
  list.end();
});

test('a list of more than two pages is not read for each event', async () => {
  const list = await showList();
  for (let pages = 2; pages <= 3; pages += 1) await list.readMore();
  list.calls.length = 0;

  list.sendEvent();
  await list.untilRead();

  expect(list.calls).toEqual([]);
  list.end();
});

test('a list that is left keeps its pages for the way back', async () => {
  const list = await showList();
  for (let pages = 2; pages <= 4; pages += 1) await list.readMore();
  const endHold = holdList(HASH);

  endHold();
  list.end();
  await list.untilRead();

  expect(list.countPages()).toBe(4);
});

test('an event during a read has the answer read once more', async () => {
  const list = await showList();
  const release = list.holdReads();

  list.sendEvent();
  list.sendEvent();
  release();
  await list.untilRead();
  await list.untilRead();

  expect(list.calls).toEqual([0, 0]);
  list.end();
});
