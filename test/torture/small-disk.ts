import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { waitFor } from '../../tools/servers/wait-for.ts';

const run = promisify(execFile);

/** Size of a small disk. */
const SIZE = '1g';
/** Kilobytes that a full disk keeps. */
const SLACK_KB = 64;
/** A program of Perl, because Node makes no ioctl: EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH. */
const SHUT_DOWN =
  'open F, "<", $ARGV[0] or die $!; my $how = pack("L", 2); ioctl(F, 0x8004587D, $how) or die $!';

/** A disk in memory that a test may fail. */
export interface SmallDisk extends AsyncDisposable {
  /** A folder on it. */
  path: string;
  /** Lets its writes fail. */
  fail: () => Promise<void>;
  /** Lets them succeed again. */
  mend: () => Promise<void>;
}

/** Mounts a disk whose writes fail by ENOSPC when it is full. Needs root. */
export async function mountFullable(): Promise<SmallDisk> {
  const { root, unmount } = await mountMemory();
  return {
    path: root,
    fail: () => shrink(root),
    mend: () => resize(root, SIZE),
    [Symbol.asyncDispose]: unmount,
  };
}

/**
 * Mounts a disk whose writes and fsyncs fail by EIO while the memory behind it is full. Nobody may use it when it is
 * repaired. Needs root.
 */
export async function mountBreakable(): Promise<SmallDisk> {
  return mountLoop(({ root, image }) => ({
    fail: () => shrink(root),
    repair: async () => {
      await resize(root, '2g');
      // The exit code of a repaired file system is 1.
      await run('e2fsck', ['-fy', image]).catch(() => undefined);
    },
  }));
}

/**
 * Mounts a disk that loses its power when it fails: whatever was not flushed to it is gone, and all later writes fail
 * until it is repaired. Nobody may use it then. Needs root.
 */
export async function mountCuttable(): Promise<SmallDisk> {
  return mountLoop(({ path }) => ({
    fail: async () => void (await run('perl', ['-e', SHUT_DOWN, path])),
    repair: () => Promise.resolve(), // the next mount replays the journal
  }));
}

/** Copies a folder that nobody uses to a disk, and puts a link in its place. */
export async function moveTo(disk: SmallDisk, folder: string): Promise<void> {
  const moved = join(disk.path, 'moved');
  await run('cp', ['--archive', folder, moved]);
  await run('sync', ['--file-system', moved]);
  renameSync(folder, `${folder}.before`);
  symlinkSync(moved, folder);
}

/** An ext4 file system: its mount point, and the memory and the image behind it. */
interface Loop {
  root: string;
  image: string;
  path: string;
}

/** Mounts ext4 on a loop device. @param failureOf how it fails, and what repairs it while it is not mounted */
async function mountLoop(
  failureOf: (loop: Loop) => { fail: () => Promise<void>; repair: () => Promise<void> },
): Promise<SmallDisk> {
  const { root, unmount } = await mountMemory();
  const [image, path] = [join(root, 'image'), `${root}.mounted`];
  const { fail, repair } = failureOf({ root, image, path });
  mkdirSync(path);
  await run('truncate', ['-s', SIZE, image]);
  await run('mkfs.ext4', ['-q', '-E', 'nodiscard', image]);
  process.once('exit', () => spawnSync('umount', ['--lazy', path], { stdio: 'ignore' }));
  const mount = () => run('mount', ['-o', 'loop,errors=remount-ro', image, path]);
  await mount();
  return {
    path,
    fail,
    mend: async () => {
      await unmountWhenIdle(path);
      await repair();
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
