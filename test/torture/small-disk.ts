import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { waitFor } from '../../tools/servers/wait-for.ts';

const run = promisify(execFile);

/** Size of a small disk. */
const SIZE = '1g';
/** Kilobytes that a full disk keeps. */
const SLACK_KB = 64;

/** A disk in memory that a test may fill or break. */
export interface SmallDisk extends AsyncDisposable {
  /** A folder on it. */
  path: string;
  /** Leaves no room for more. */
  fill: () => Promise<void>;
  /** Makes room again. */
  free: () => Promise<void>;
}

/** Mounts a disk whose writes fail by ENOSPC when it is full. Needs root. */
export async function mountFullable(): Promise<SmallDisk> {
  const { root, unmount } = await mountMemory();
  return {
    path: root,
    fill: () => shrink(root),
    free: () => resize(root, SIZE),
    [Symbol.asyncDispose]: unmount,
  };
}

/**
 * Mounts a file system on a loop device, whose writes and fsyncs fail by EIO while the memory behind it is full. It is
 * checked and mounted again before it is used again: call `free` while nobody uses it. Needs root.
 */
export async function mountBreakable(): Promise<SmallDisk> {
  const { root, unmount } = await mountMemory();
  const [image, path] = [join(root, 'image'), `${root}.mounted`];
  mkdirSync(path);
  await run('truncate', ['-s', SIZE, image]);
  await run('mkfs.ext4', ['-q', '-E', 'nodiscard', image]);
  process.once('exit', () => spawnSync('umount', ['--lazy', path], { stdio: 'ignore' }));
  const mount = () => run('mount', ['-o', 'loop,errors=remount-ro', image, path]);
  await mount();
  return {
    path,
    fill: () => shrink(root),
    free: async () => {
      await resize(root, '2g');
      await unmountWhenIdle(path);
      // The exit code of a repaired file system is 1.
      await run('e2fsck', ['-fy', image]).catch(() => undefined);
      await mount();
    },
    [Symbol.asyncDispose]: async () => {
      await unmountWhenIdle(path);
      rmSync(path, { recursive: true });
      await unmount();
    },
  };
}

async function mountMemory(): Promise<{ root: string; unmount: () => Promise<void> }> {
  // Other runs remove folders named signalbox-test-, whose owner they do not find in a disk.
  const root = mkdtempSync(join(tmpdir(), 'signalbox-disk-'));
  process.once('exit', () => spawnSync('umount', ['--lazy', root], { stdio: 'ignore' }));
  await run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=0755`, 'tmpfs', root]);
  const unmount = async (): Promise<void> => {
    await unmountWhenIdle(root);
    rmSync(root, { recursive: true });
  };
  return { root, unmount };
}

/** Unmounts once nothing uses the mount: the processes of a Postgres that was cut off end a moment after it. */
async function unmountWhenIdle(path: string): Promise<void> {
  const isUnmounted = () =>
    run('umount', [path]).then(
      () => true,
      () => false,
    );
  await waitFor(isUnmounted, { otherwise: `${path} is in use` });
}

/** Makes a file system in memory as small as what is on it, which may grow between the look and the change. */
async function shrink(root: string): Promise<void> {
  const isShrunk = async (): Promise<boolean> => {
    const { stdout } = await run('df', ['--output=used', '--block-size=1K', root]);
    const size = `${Number(stdout.trim().split('\n').at(-1)) + SLACK_KB}k`;
    return resize(root, size).then(
      () => true,
      () => false,
    );
  };
  await waitFor(isShrunk, { otherwise: `${root} was not filled` });
}

async function resize(root: string, size: string): Promise<void> {
  await run('mount', ['-o', `remount,size=${size}`, root]);
}
