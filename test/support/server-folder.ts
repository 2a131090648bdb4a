import { chmodSync, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The memory of Linux that programs use as a disk. */
const MEMORY = '/dev/shm';

/** Free bytes with which the servers of three files at a time have room. */
const NEEDED_BYTES = 4 * 1024 ** 3;

/**
 * Chooses the folder for the data of the servers of a run: memory where it has room, else that of temporary files.
 * Each test database is 840 files, which take a file system on a disk a third longer.
 */
export function chooseParent(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= NEEDED_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/**
 * Makes a folder for the data of a server, outside of a test run among temporary files. When root runs the tests,
 * Postgres runs as another user, who must be able to enter it.
 */
export function makeServerFolder(prefix: string): string {
  const dir = mkdtempSync(join(process.env['TEST_SERVER_DATA'] ?? tmpdir(), prefix));
  chmodSync(dir, 0o711);
  return dir;
}
