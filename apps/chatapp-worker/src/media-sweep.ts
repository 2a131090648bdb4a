import { deleteMedia, listAbandonedMedia, setMediaAside } from '@signalbox/database/templates/media';
import { MediaStore } from '@signalbox/gateways/media/media-store';
import type { Sweep } from '@signalbox/messaging/maintenance/duty';
import { withTimeout } from '@signalbox/runtime/with-timeout';

/** Milliseconds for the removal of a file. */
const REMOVE_MS = 10_000;

/**
 * Deletes uploads that no template uses and whose handle has expired, and unfinished uploads. A file is deleted before
 * its row, so that an interrupted batch is repeated. Two processes may remove the same file. A file that cannot be
 * removed is tried again an hour later.
 */
export const MEDIA_SWEEP: Sweep = {
  name: 'sweep media',
  everyMs: 60_000,
  logEvent: 'media.swept',
  sweep: async ({ db, get, logger }) => {
    const ids = await listAbandonedMedia(db);
    const failures = await removeAll(get(MediaStore), ids);
    const failed = [...failures.keys()];
    if (failed.length > 0) {
      await setMediaAside(db, failed);
      logger.error({ mediaIds: failed, error: failures.get(failed[0]!) }, 'media.not_removed');
    }
    await deleteMedia(
      db,
      ids.filter((id) => !failures.has(id)),
    );
    return ids.length - failed.length;
  },
};

/** Removes files. @returns the errors of those that could not be removed, by their ids */
async function removeAll(store: MediaStore, ids: readonly string[]): Promise<Map<string, unknown>> {
  const failures = new Map<string, unknown>();
  const remove = (id: string): Promise<unknown> =>
    withTimeout(store.remove(id), REMOVE_MS, 'the removal of a file').catch((error: unknown) =>
      failures.set(id, error),
    );
  await Promise.all(ids.map(remove));
  return failures;
}
