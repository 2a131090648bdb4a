import { queries } from './queries.ts';

let held: Promise<void> = Promise.resolve();

/** Resolves when reads may begin: immediately, except during `withoutReads`. */
export async function readsAllowed(): Promise<void> {
  await held;
}

/**
 * Does what takes the page away, as a deletion with the change to another page. Until it has ended nothing is read: an
 * event or an interval would ask for what is gone. Reads under way are given up; what is shown afterwards is read again.
 */
export async function withoutReads(work: () => Promise<void>): Promise<void> {
  void queries.cancelQueries({ type: 'active' });
  const done = work();
  held = Promise.allSettled([held, done]).then(() => undefined);
  try {
    await done;
  } finally {
    void queries.refetchQueries({ type: 'active', stale: true }, { cancelRefetch: false });
  }
}
