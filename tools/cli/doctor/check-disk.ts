import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access, constants, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openMediaStore } from '@signalbox/gateways/media/open-media-store';
import { type Finding, findingsOf, unreachable } from './finding.ts';

const MIN_FREE_BYTES = 1024 ** 3;

/** Checks that the folder of uploaded files can be written to and has room. */
export async function checkMedia(folder: string): Promise<Finding[]> {
  try {
    const existing = existingParent(folder);
    await access(existing, constants.W_OK);
    return [await checkRoom('media', existing, folder)];
  } catch (error) {
    return [unreachable('media', `MEDIA_DIR (${folder})`, error)];
  }
}

/**
 * Checks that the bucket of uploaded files takes the calls of this key. Removing what does not exist changes nothing.
 */
export async function checkBucket(s3Url: string): Promise<Finding[]> {
  const { host, pathname } = new URL(s3Url);
  const place = `the bucket ${pathname.split('/')[1]} at ${host}`;
  try {
    const store = await openMediaStore({ folder: '', s3Url });
    await store.remove(`doctor-${randomUUID()}`);
    return [{ part: 'media', level: 'ok', text: `Files can be stored in ${place}.` }];
  } catch (error) {
    return [unreachable('media', `MEDIA_S3_URL (${place})`, error)];
  }
}

/**
 * Checks that the disk of the database has room. None when its folder is not on this machine, or is not shown to the
 * role.
 */
export async function checkDatabaseDisk(folder: string | null): Promise<Finding[]> {
  try {
    return folder === null ? [] : [await checkRoom('disk', folder, `the data folder of Postgres, ${folder}`)];
  } catch {
    return [];
  }
}

async function checkRoom(part: string, folder: string, name: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder);
  const free = `${((bavail * bsize) / 1024 ** 3).toFixed(1)} GB are free in ${name}.`;
  const [finding] = findingsOf(part, free, [
    bavail * bsize < MIN_FREE_BYTES && { level: 'warning', text: `Only ${free} Make room.` },
  ]);
  return finding!;
}

/** The first upload creates the folder. */
function existingParent(folder: string): string {
  return existsSync(folder) ? folder : existingParent(dirname(folder));
}
