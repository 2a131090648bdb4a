import { queries } from './queries.ts';

/** Milliseconds after which reads begin although the work has not ended. */
const MAX_HELD_MS = 10_000;

let held: Promise<unknown> = Promise.resolve();

/** Resolves when reads may begin: immediately, except during `withoutReads`. */
export async function readsAllowed(): Promise<void> {
  await held;
}

/**
 * Runs work that leaves the current page, such as a deletion followed by navigation. Queries that begin meanwhile wait
 * for its end, at most ten seconds: an event or an interval would ask for the deleted row. The reads of the page that are
 * under way are cancelled, and what is shown afterwards is read again.
 */
export async function withoutReads(work: () => Promise<void>): Promise<void> {
  void queries.cancelQueries({ type: 'active' });
  const done = work();
  const { promise: limit, resolve: endHold } = Promise.withResolvers<void>();
  const timer = setTimeout(endHold, MAX_HELD_MS);
  held = Promise.race([Promise.allSettled([held, done]), limit]);
  try {
    await done;
  } finally {
    clearTimeout(timer);
    void queries.refetchQueries({ type: 'active', stale: true }, { cancelRefetch: false });
  }
}
