import { deleteMedia, listAbandonedMedia } from '@signalbox/database/templates/media';
import { withAdvisoryLock } from '@signalbox/database/ops/rescue';
import type { MediaStore } from '@signalbox/gateways/media/media-store';
import type { Logger } from '@signalbox/runtime/logger';
import type { EntityManager } from 'typeorm';

/** Removes files that no template shows and whose handle has expired, and what uploads left behind that never ended. */
export class MediaSweeper {
  constructor(
    private readonly db: EntityManager,
    private readonly store: MediaStore,
    private readonly logger: Logger,
  ) {}

  /** One pass, a bounded number of files. The file goes before its row, so that a pass which is cut short is made again. */
  async sweep(): Promise<void> {
    const swept = await withAdvisoryLock(this.db, 'media', async (db) => {
      const ids = await listAbandonedMedia(db);
      for (const id of ids) await this.store.remove(id);
      await deleteMedia(db, ids);
      return ids.length;
    });
    if (swept) this.logger.info({ count: swept }, 'media.swept');
  }
}
