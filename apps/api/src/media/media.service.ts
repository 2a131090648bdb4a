import { randomBytes, randomUUIDv7 } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { type StoredMedia, deleteMedia, finishMedia, insertMedia } from '@signalbox/database/templates/media';
import { MediaInspection } from '@signalbox/domain/media/inspection';
import type { MediaStore } from '@signalbox/gateways/media/media-store';
import type { EntityManager } from 'typeorm';
import { ApiError } from '../errors/api-error.ts';
import { readFormFile } from '../http/multipart-body.ts';

const HANDLE_BYTES = 24;

/** Takes in the files that templates show. */
export class MediaService {
  constructor(
    private readonly db: EntityManager,
    private readonly store: MediaStore,
  ) {}

  /**
   * Stores the file of a form as it comes, and names it by a handle that means nothing to anybody else. Of an upload that fails
   * or breaks off nothing is left; should this process die at it, the sweeper removes what there is.
   *
   * @throws ApiError those of files and forms; unavailable when the store takes nothing, such as a full disk
   */
  async upload(accountId: string, request: IncomingMessage): Promise<string> {
    const id = randomUUIDv7();
    const handle = randomBytes(HANDLE_BYTES).toString('base64url');
    try {
      const media = await readFormFile(request, async (content, declaredType) => {
        await insertMedia(this.db, accountId, id, handle);
        return this.write(id, content, declaredType);
      });
      await finishMedia(this.db, id, media);
      return handle;
    } catch (error) {
      await this.forget(id);
      throw error;
    }
  }

  private async write(id: string, content: Readable, declaredType: string): Promise<StoredMedia> {
    const inspection = new MediaInspection(declaredType);
    try {
      await this.store.write(id, inspected(content, inspection));
    } catch (cause) {
      throw cause instanceof ApiError ? cause : new ApiError('unavailable', undefined, { cause });
    }
    const { kind, mimeType } = inspection.type!;
    return { kind, mimeType, sizeBytes: inspection.sizeBytes };
  }

  /** What cannot be removed now is removed by the sweeper, in an hour. */
  private async forget(id: string): Promise<void> {
    try {
      await this.store.remove(id);
      await deleteMedia(this.db, [id]);
    } catch {
      // the first error is the one to tell
    }
  }
}

/** @throws ApiError as soon as something is wrong with the file */
async function* inspected(content: Readable, inspection: MediaInspection): AsyncGenerator<Buffer> {
  for await (const chunk of content as AsyncIterable<Buffer>) {
    const problem = inspection.take(chunk);
    if (problem !== undefined) throw new ApiError(problem);
    yield chunk;
  }
  const problem = inspection.end();
  if (problem !== undefined) throw new ApiError(problem);
}
