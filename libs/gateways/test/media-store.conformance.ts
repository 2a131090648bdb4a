import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { MediaStore } from '../src/media/media-store.ts';

const MB = 1024 * 1024;
const PIECE_BYTES = 64 * 1024;

/** A store under test, and what it keeps. */
export interface StoreUnderTest extends AsyncDisposable {
  store: MediaStore;
  /** Finished files by id. */
  files: () => Promise<Map<string, Buffer>>;
  /** Number of unfinished files. */
  unfinished: () => Promise<number>;
}

/** Tests the contract of `MediaStore`, which every store must pass. */
export function testMediaStore(setup: () => Promise<StoreUnderTest>): void {
  describe('every media store', () => {
    test.each([0, 1, 5 * MB, 12 * MB + 1])('stores and removes a file of %i bytes', async (sizeBytes) => {
      await using t = await setup();
      const [id, file] = [randomUUID(), randomBytes(sizeBytes)];

      await t.store.write(id, pieces(file));
      expect((await t.files()).get(id)?.equals(file)).toBe(true);
      expect(await t.unfinished()).toBe(0);

      await t.store.remove(id);
      expect((await t.files()).size).toBe(0);
    });

    test.each([0, 6 * MB])('keeps nothing of a file whose content fails after %i bytes', async (failAt) => {
      await using t = await setup();

      const writing = t.store.write(randomUUID(), pieces(Buffer.alloc(12 * MB), failAt));

      await expect(writing).rejects.toThrow('the upload was interrupted');
      expect([(await t.files()).size, await t.unfinished()]).toEqual([0, 0]);
    });

    test('keeps files that are written at the same time apart', async () => {
      await using t = await setup();
      const files = [randomBytes(PIECE_BYTES + 1), randomBytes(3 * PIECE_BYTES)];
      const [first, second] = [randomUUID(), randomUUID()];

      await Promise.all([t.store.write(first, pieces(files[0]!)), t.store.write(second, pieces(files[1]!))]);
      await t.store.remove(first);

      expect(await t.files()).toEqual(new Map([[second, files[1]]]));
    });

    test('accepts the removal of a file that does not exist', async () => {
      await using t = await setup();

      await expect(t.store.remove(randomUUID())).resolves.toBeUndefined();
    });
  });
}

/** Yields a file in pieces, and fails at a position of it. */
export async function* pieces(file: Buffer, failAt = Infinity): AsyncGenerator<Buffer> {
  for (let at = 0; at < file.length; at += PIECE_BYTES) {
    if (at >= failAt) throw new Error('the upload was interrupted');
    yield file.subarray(at, at + PIECE_BYTES);
  }
}
