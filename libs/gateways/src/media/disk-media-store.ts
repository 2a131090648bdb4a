import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { MediaStore } from './media-store.ts';

/** Stores files in one folder, which all processes that need them must share. */
export class DiskMediaStore extends MediaStore {
  constructor(private readonly folder: string) {
    super();
  }

  async write(id: string, content: AsyncIterable<Buffer>): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o750 });
    try {
      await writeSynced(this.unfinished(id), content);
      await rename(this.unfinished(id), this.path(id));
      await syncFolder(this.folder);
    } catch (error) {
      await this.remove(id);
      throw error;
    }
  }

  async read(id: string, offset = 0): Promise<Readable> {
    const file = await open(this.path(id));
    return file.createReadStream({ start: offset });
  }

  async remove(id: string): Promise<void> {
    await Promise.all([rm(this.unfinished(id), { force: true }), rm(this.path(id), { force: true })]);
  }

  private path(id: string): string {
    return join(this.folder, id);
  }

  private unfinished(id: string): string {
    return `${this.path(id)}.part`;
  }
}

async function writeSynced(path: string, content: AsyncIterable<Buffer>): Promise<void> {
  const file = await open(path, 'wx', 0o640);
  try {
    for await (const chunk of content) await file.writeFile(chunk);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
