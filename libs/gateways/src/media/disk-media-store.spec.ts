import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { type StoreUnderTest, pieces, testMediaStore } from '../../test/media-store.conformance.ts';
import { openMediaStore } from './open-media-store.ts';

testMediaStore(setup);

test('a path that cannot be a folder refuses files', async () => {
  const root = await mkdtemp(join(tmpdir(), 'media-'));
  await writeFile(join(root, 'file'), '');
  const store = await openMediaStore({ folder: join(root, 'file'), s3Url: '' });

  await expect(store.write('a', pieces(Buffer.alloc(10)))).rejects.toThrow();

  await rm(root, { recursive: true });
});

async function setup(): Promise<StoreUnderTest> {
  const root = await mkdtemp(join(tmpdir(), 'media-'));
  const folder = join(root, 'created', 'when-needed');
  const names = (): Promise<string[]> => readdir(folder).catch(() => []);
  return {
    store: await openMediaStore({ folder, s3Url: '' }),
    files: async () => {
      const finished = (await names()).filter((name) => !name.endsWith('.part'));
      const files = finished.map(
        async (id): Promise<[string, Buffer]> => [id, await readFile(join(folder, id))],
      );
      return new Map(await Promise.all(files));
    },
    unfinished: async () => (await names()).filter((name) => name.endsWith('.part')).length,
    [Symbol.asyncDispose]: () => rm(root, { recursive: true }),
  };
}
