import { deleteMedia, listAbandonedMedia } from '@signalbox/database/templates/media';
import { MediaStore } from '@signalbox/gateways/media/media-store';
import type { Sweep } from '@signalbox/messaging/maintenance/duty';

/**
 * Deletes uploads that no template uses and whose handle has expired, and unfinished uploads. A file is deleted before
 * its row, so that an interrupted batch is repeated.
 */
export const MEDIA_SWEEP: Sweep = {
  name: 'sweep media',
  everyMs: 60_000,
  lock: 'media',
  logEvent: 'media.swept',
  sweep: async ({ db, get }) => {
    const ids = await listAbandonedMedia(db);
    const store = get(MediaStore);
    for (const id of ids) await store.remove(id);
    await deleteMedia(db, ids);
    return ids.length;
  },
};
