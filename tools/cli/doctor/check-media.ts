import { existsSync } from 'node:fs';
import { access, constants, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Finding, findingsOf, unreachable } from './finding.ts';

const MIN_FREE_BYTES = 1024 ** 3;

/** Checks that the folder of uploaded files can be written to and has room. */
export async function checkMedia(folder: string): Promise<Finding[]> {
  try {
    const existing = existingParent(folder);
    await access(existing, constants.W_OK);
    const { bavail, bsize } = await statfs(existing);
    const free = `${((bavail * bsize) / 1024 ** 3).toFixed(1)} GB are free in ${folder}.`;
    return findingsOf('media', free, [
      bavail * bsize < MIN_FREE_BYTES && { level: 'warning', text: `Only ${free} Make room.` },
    ]);
  } catch (error) {
    return [unreachable('media', `MEDIA_DIR (${folder})`, error)];
  }
}

/** The first upload creates the folder. */
function existingParent(folder: string): string {
  return existsSync(folder) ? folder : existingParent(dirname(folder));
}
