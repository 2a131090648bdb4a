import type { Query } from '@tanstack/react-query';
import { type ListPages, firstPlace } from './list-place.ts';
import { HEARTBEAT, findOutage, hasFailed, isRefused } from './outage.ts';
import { queries } from './queries.ts';

/** Kinds of events of `GET /v1/stream`. Each arrives at most once a second. */
const KINDS = [
  'message',
  'delivery',
  'phone',
  'template',
  'queue',
  'lane',
  'gateway',
  'parked',
  'route',
  'endpoint',
  'orphan',
  'worker',
] as const;
export type LiveKind = (typeof KINDS)[number];

/** Milliseconds between refreshes while there is no stream. */
const POLL_MS = 5_000;
/** Such refreshes from one to the next while there is a stream: for what changes without an event, as by time. */
const LOOK_EVERY = 6;
/** Milliseconds after an event for which its kind counts as busy. */
const BUSY_MS = 20_000;
/** Milliseconds until a refused stream is tried again. */
const RETRY_MS = 60_000;

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      live?: readonly LiveKind[];
      /** True for an answer that a busy kind reads at an interval, and its events only when they begin. */
      isPaced?: boolean;
    };
  }
}

/**
 * Keeps live queries fresh while the tab is visible: by events of the server and every half minute, every five seconds
 * in an outage and while there is no stream, and once when the tab becomes visible.
 *
 * @returns a function that ends it
 */
export function startLive(url: string = '/v1/stream'): () => void {
  let source: EventSource | undefined;
  let retryAt = 0;
  let looks = 0;
  const close = () => {
    source?.close();
    source = undefined;
  };
  const open = () => {
    close();
    source = new EventSource(url);
    for (const kind of KINDS) source.addEventListener(kind, () => noteEvent(kind));
    source.addEventListener('error', () => {
      void queries.invalidateQueries({ queryKey: HEARTBEAT });
      if (source?.readyState === EventSource.CLOSED) retryAt = Date.now() + RETRY_MS;
    });
  };
  const onVisibility = () => {
    if (document.hidden) return close();
    open();
    refresh();
  };
  const timer = setInterval(() => {
    if (document.hidden) return;
    looks += 1;
    const isOpen = source?.readyState === EventSource.OPEN;
    if (!isOpen || looks % LOOK_EVERY === 0 || findOutage()) refresh();
    if (source?.readyState === EventSource.CLOSED && Date.now() >= retryAt) open();
  }, POLL_MS);
  if (!document.hidden) open();
  document.addEventListener('visibilitychange', onVisibility);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', onVisibility);
    close();
  };
}

/** The time of the last event of each kind. */
const lastEventAt = new Map<LiveKind, number>();

/** True while events of a kind keep coming. */
export function isBusy(kind: LiveKind): boolean {
  return Date.now() - (lastEventAt.get(kind) ?? -Infinity) < BUSY_MS;
}

function noteEvent(kind: LiveKind): void {
  const hasBegun = isBusy(kind);
  lastEventAt.set(kind, Date.now());
  refresh(kind, hasBegun);
}

/** Pages of a list up to which its events have it read again. A longer one is read with all live queries only. */
const MAX_PAGES = 2;

/**
 * Reads shown live queries of a kind again, or all of them. A held list stays as it is. An answer that is on its way is
 * waited for, and then read again, because the event may have come after it was made. A query that failed without an
 * earlier answer waits for the heartbeat, so that its failure stays on the page. No event reads one again that was
 * refused, only the next refresh of all: what was missing or forbidden may have changed by then.
 */
function refresh(kind?: LiveKind, hasBegun = false): void {
  const predicate = (query: Query): boolean => {
    const { meta, state, queryHash } = query;
    const kinds = meta?.live;
    if (!kinds || (kind !== undefined && !kinds.includes(kind))) return false;
    if (hasBegun && meta.isPaced) return false;
    if (state.data === undefined && (hasFailed(query) || (kind !== undefined && isRefused(query))))
      return false;
    if (kind !== undefined && pagesOf(state.data) > MAX_PAGES) return false;
    return !holds.has(queryHash);
  };
  const underWay = new Set(queries.getQueryCache().findAll({ predicate, fetchStatus: 'fetching' }));
  const isRead = queries.invalidateQueries({ predicate }, { cancelRefetch: false });
  if (underWay.size === 0) return;
  const isStale = (query: Query): boolean => underWay.has(query) && !holds.has(query.queryHash);
  void isRead.then(() => queries.invalidateQueries({ predicate: isStale }, { cancelRefetch: false }));
}

function pagesOf(data: unknown): number {
  const { pages } = (data ?? {}) as { pages?: unknown[] };
  return pages?.length ?? 1;
}

/** Number of holds of each held list, by the hash of its key. */
const holds = new Map<string, number>();

/**
 * Keeps a live list as it is, by the hash of its key: while a person has scrolled it down, has chosen rows of it, or has
 * a dialog of one of its rows open.
 *
 * @returns a function that ends the hold. After the last one the list is read again, if it is still shown
 */
export function holdList(hash: string): () => void {
  holds.set(hash, (holds.get(hash) ?? 0) + 1);
  return () => {
    const left = holds.get(hash)! - 1;
    if (left > 0) return void holds.set(hash, left);
    holds.delete(hash);
    // once it is known whether the list is still shown
    queueMicrotask(() => readFirst(hash));
  };
}

/** Reads the first pages of a shown live list again, also in place of a read that is under way. */
function readFirst(hash: string): void {
  const list = queries.getQueryCache().get(hash);
  if (!list?.meta?.live || !list.isActive() || holds.has(hash)) return;
  queries.setQueryData<ListPages<unknown>>(list.queryKey, firstPages);
  void queries.invalidateQueries({ predicate: (query) => query === list });
}

/** The first pages of a list that is shown from its start; another one as it is. */
function firstPages(list: ListPages<unknown> | undefined): ListPages<unknown> | undefined {
  if (!list || firstPlace(list).before > 0 || list.pages.length <= MAX_PAGES) return list;
  return { pages: list.pages.slice(0, MAX_PAGES), pageParams: list.pageParams.slice(0, MAX_PAGES) };
}
