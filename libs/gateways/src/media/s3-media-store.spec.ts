import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { expect, test } from '@jest/globals';
import { type StoreUnderTest, pieces, testMediaStore } from '../../test/media-store.conformance.ts';
import { startS3 } from '../../test/s3-server.ts';
import { openMediaStore } from './open-media-store.ts';

const MB = 1024 * 1024;

testMediaStore(setup);

test('a file is stored under the prefix of the URL', async () => {
  await using s3 = await startS3();
  const store = await openMediaStore({ folder: '', s3Url: s3.url });

  await store.write('a', pieces(Buffer.from('x')));

  expect([...s3.objects.keys()]).toEqual(['/files/media/a']);
});

test('nothing is sent to the bucket before a file has arrived', async () => {
  await using s3 = await startS3();
  const store = await openMediaStore({ folder: '', s3Url: s3.url });
  async function* slow(): AsyncGenerator<Buffer> {
    yield* pieces(Buffer.alloc(12 * MB));
    expect(s3.openUploads.size).toBe(0);
  }

  await store.write('a', slow());

  expect(s3.objects.get('/files/media/a')).toHaveLength(12 * MB);
});

test('at most four files are sent to the bucket at the same time', async () => {
  await using s3 = await startS3();
  const store = await openMediaStore({ folder: '', s3Url: s3.url });
  const file = Buffer.alloc(6 * MB);

  await Promise.all(Array.from({ length: 10 }, (_, i) => store.write(String(i), pieces(file))));

  expect([s3.objects.size, s3.mostOpenUploads]).toEqual([10, 4]);
});

test('at most 16 files arrive at the same time', async () => {
  await using s3 = await startS3();
  const store = await openMediaStore({ folder: '', s3Url: s3.url });
  const full = Promise.withResolvers<void>();
  let [arriving, most] = [0, 0];
  async function* file(): AsyncGenerator<Buffer> {
    most = Math.max(most, (arriving += 1));
    if (arriving === 16) full.resolve();
    await full.promise;
    yield Buffer.from('x');
    arriving -= 1;
  }

  await Promise.all(Array.from({ length: 40 }, (_, i) => store.write(String(i), file())));

  expect([s3.objects.size, most]).toEqual([40, 16]);
});

test('slow downloads keep no other call waiting', async () => {
  await using s3 = await startS3();
  const store = await openMediaStore({ folder: '', s3Url: s3.url });
  await store.write('a', pieces(Buffer.alloc(12 * MB)));

  // more than the sockets that the client of the bucket has by default
  const slow = await Promise.all(Array.from({ length: 60 }, () => store.read('a')));
  await store.write('b', pieces(Buffer.from('x')));

  expect(s3.reads).toBe(60);
  for (const each of slow) each.destroy();
});

test.each([10, 6 * MB])('a bucket that refuses access fails a write of %i bytes', async (sizeBytes) => {
  await using s3 = await startS3();
  s3.isBroken = true;
  const store = await openMediaStore({ folder: '', s3Url: s3.url });

  await expect(store.write(randomUUID(), pieces(Buffer.alloc(sizeBytes)))).rejects.toThrow();
});

async function setup(): Promise<StoreUnderTest> {
  const s3 = await startS3();
  return {
    store: await openMediaStore({ folder: '', s3Url: s3.url }),
    files: async () => new Map(Array.from(s3.objects, ([path, file]) => [basename(path), file])),
    unfinished: async () => s3.openUploads.size,
    [Symbol.asyncDispose]: () => s3[Symbol.asyncDispose](),
  };
}
