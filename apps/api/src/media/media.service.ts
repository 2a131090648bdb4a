import { randomBytes, randomUUIDv7 } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import {
  type StoredMedia,
  deleteMedia,
  finishMedia,
  insertMedia,
  listMedia,
} from '@signalbox/database/templates/media';
import { MediaInspection } from '@signalbox/domain/media/inspection';
import { MAX_MEDIA_BYTES } from '@signalbox/domain/media/media-type';
import type { MediaStore } from '@signalbox/gateways/media/media-store';
import { EntityManager } from 'typeorm';
import type { Caller } from '../auth/caller.ts';
import { asLiveCaller } from '../auth/live-caller.ts';
import { ApiError } from '../errors/api-error.ts';
import { requireRoom } from '../http/account-limits.ts';
import { WRITES_OF_ACCOUNT } from '../http/costly-calls.ts';
import { readFormFile } from '../http/multipart-body.ts';

const HANDLE_BYTES = 24;

/** Token of the store that keeps uploaded files. */
export const MEDIA_STORE = Symbol('media store');

/** A stored file, open for reading. */
interface ReadMedia {
  mimeType: string;
  sizeBytes: number;
  content: Readable;
}

/** Stores the files that templates show. */
@Injectable()
export class MediaService {
  constructor(
    private readonly db: EntityManager,
    @Inject(MEDIA_STORE) private readonly store: MediaStore,
  ) {}

  /**
   * Streams the file of a form to the store. A failed upload leaves nothing behind; when this process dies, the sweep
   * removes the rest.
   *
   * @returns a random handle, valid for this account only
   * @throws ApiError limit_reached; those of files and forms, and of `asLiveCaller`; unavailable when the store cannot
   * write
   */
  async upload(caller: Caller, request: IncomingMessage): Promise<string> {
    const id = randomUUIDv7();
    const handle = randomBytes(HANDLE_BYTES).toString('base64url');
    const maxBytes = maxBytesOf(request);
    try {
      const media = await readFormFile(request, async (content, declaredType) => {
        await this.reserve(caller.accountId, id, handle, maxBytes);
        return this.write(id, content, declaredType);
      });
      await asLiveCaller(this.db, caller, (db) => finishMedia(db, id, media));
      return handle;
    } catch (error) {
      await this.forget(id);
      throw error;
    }
  }

  /**
   * Opens a stored file of the account.
   *
   * @throws ApiError media_not_found, also for another account's; unavailable when the store cannot read
   */
  async read(accountId: string, handle: string): Promise<ReadMedia> {
    const [media] = await listMedia(this.db, accountId, [handle]);
    if (!media) throw new ApiError('media_not_found');
    try {
      return { ...media, content: await this.store.read(media.id) };
    } catch (cause) {
      throw new ApiError('unavailable', undefined, { cause });
    }
  }

  /** Counts a file by what it may have at most, so that uploads at the same time stay within the limit too. */
  private reserve(accountId: string, id: string, handle: string, maxBytes: number): Promise<void> {
    const insert = async (db: EntityManager): Promise<void> => {
      await requireRoom(db, accountId, 'unusedMedia');
      await requireRoom(db, accountId, 'mediaBytes', { adding: maxBytes });
      await insertMedia(db, accountId, id, handle, maxBytes);
    };
    return WRITES_OF_ACCOUNT.run(accountId, () => this.db.transaction(insert));
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

  /** Removes what it can. The sweep removes the rest an hour later. */
  private async forget(id: string): Promise<void> {
    try {
      await this.store.remove(id);
      await deleteMedia(this.db, [id]);
    } catch {
      // the caller throws the first error
    }
  }
}

/** The bytes that the file of a form may have: fewer than the form, and those of the largest type at most. */
function maxBytesOf({ headers }: IncomingMessage): number {
  const formBytes = Number(headers['content-length']);
  return formBytes > 0 ? Math.min(formBytes, MAX_MEDIA_BYTES) : MAX_MEDIA_BYTES;
}

/** Passes chunks on. @throws ApiError at the first chunk that shows a fault of the file */
async function* inspected(content: Readable, inspection: MediaInspection): AsyncGenerator<Buffer> {
  for await (const chunk of content as AsyncIterable<Buffer>) {
    const problem = inspection.take(chunk);
    if (problem !== undefined) throw new ApiError(problem);
    yield chunk;
  }
  const problem = inspection.end();
  if (problem !== undefined) throw new ApiError(problem);
}
