import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { startS3 } from '../../test/s3-server.ts';
import { openMediaStore } from './open-media-store.ts';

const MB = 1024 * 1024;

async function* pieces(file: Buffer, failAt = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
  for (let at = 0; at < file.length; at += 64 * 1024) {
    if (at >= failAt) throw new Error('the upload broke off');
    yield file.subarray(at, at + 64 * 1024);
  }
}

test.each([1, 5 * MB, 12 * MB + 1])(
  'a file of %i bytes is stored whole under its prefix, and removed again',
  async (sizeBytes) => {
    await using s3 = await startS3();
    const store = await openMediaStore({ folder: '', s3Url: s3.url });
    const [id, file] = [randomUUID(), randomBytes(sizeBytes)];

    await store.write(id, pieces(file));

    expect(s3.objects.get(`/files/media/${id}`)?.equals(file)).toBe(true);
    expect(s3.openUploads.size).toBe(0);
    await store.remove(id);
    expect(s3.objects.size).toBe(0);
    await store.remove(id); // one that is not there is no fault
  },
);

test.each([0, 6 * MB])(
  'of a file that breaks off after %i bytes nothing is left, and why it did is told',
  async (failAt) => {
    await using s3 = await startS3();
    const store = await openMediaStore({ folder: '', s3Url: s3.url });

    await expect(store.write(randomUUID(), pieces(Buffer.alloc(12 * MB), failAt))).rejects.toThrow(
      'the upload broke off',
    );

    expect([s3.objects.size, s3.openUploads.size]).toEqual([0, 0]);
  },
);

test('a bucket that refuses is no place where a file is safe', async () => {
  await using s3 = await startS3();
  s3.isBroken = true;
  const store = await openMediaStore({ folder: '', s3Url: s3.url });

  await expect(store.write(randomUUID(), pieces(Buffer.alloc(10)))).rejects.toThrow();
  await expect(store.write(randomUUID(), pieces(Buffer.alloc(6 * MB)))).rejects.toThrow();
});
