import { readFileSync } from 'node:fs';
import { findSpaceProblem } from './config-problem.ts';

const FORM = 'postgres://user:password@host:5432/name';
const UNREADABLE = `cannot be read: write it as ${FORM}, and in user and password % as %25, # as %23, / as %2F, ? as %3F and @ as %40`;

/** Several hosts are no URL of the standard; each is read with the rest of the address. */
const ADDRESS = /^(?<before>postgres(?:ql)?:\/\/(?:[^@/?]*@)?)(?<hosts>[^@/?]*)(?<after>.*)$/;

/**
 * Says what is wrong with a DATABASE_URL, without a secret of it; undefined for one that can be used: of Postgres, with one
 * host or several.
 */
export function findDatabaseUrlProblem(value: unknown): string | undefined {
  const url = String(value);
  const spaces = findSpaceProblem('DATABASE_URL', value);
  if (spaces !== undefined) return spaces;
  if (!/^postgres(ql)?:\/\//.test(url)) return `DATABASE_URL must name a database of Postgres, as ${FORM}`;
  return findReadingProblem('DATABASE_URL', url);
}

/**
 * Says what is wrong with the QUEUE_URL of a queue on Postgres, without a secret of it; undefined for one that can be
 * used: with one host, because the queues do not look for another primary.
 */
export function findPostgresQueueProblem(url: string): string | undefined {
  if (hostsOf(url).length > 1)
    return 'QUEUE_URL must name one host of Postgres: use an address that always leads to the primary, or a Redis';
  return findReadingProblem('QUEUE_URL', url);
}

/** @param name the setting that has the address */
function findReadingProblem(name: string, url: string): string | undefined {
  const { before, after } = ADDRESS.exec(url)?.groups ?? {};
  const isReadable = hostsOf(url).every((host) => canRead(`${before}${host}${after}`));
  return isReadable ? findTlsFileProblem(name, url) : `${name} ${UNREADABLE}`;
}

function hostsOf(url: string): string[] {
  return (ADDRESS.exec(url)?.groups?.['hosts'] ?? '').split(',');
}

/** Parameters of an address of Postgres that name files. */
const TLS_FILES = ['sslrootcert', 'sslcert', 'sslkey'];

/**
 * Says which file of an address of Postgres cannot be used; undefined when all can. An empty file of an authority would
 * let every public one in.
 */
function findTlsFileProblem(name: string, url: string): string | undefined {
  const parameters = new URLSearchParams(/\?(.*)$/.exec(url)?.[1]);
  for (const parameter of TLS_FILES) {
    const path = parameters.get(parameter);
    const reason = path ? unusable(path) : undefined;
    if (reason)
      return `${name} names ${path} as ${parameter}, which ${reason}: name a file in PEM that this process may read`;
  }
  return undefined;
}

function unusable(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() === '' ? 'is empty' : undefined;
  } catch (error) {
    return `cannot be read (${(error as NodeJS.ErrnoException).code})`;
  }
}

function canRead(url: string): boolean {
  // no host before the path is the local socket
  const parsed = URL.parse(url.replace('@/', '@local/'));
  if (parsed === null) return false;
  try {
    decodeURIComponent(parsed.username + parsed.password);
    return true;
  } catch {
    return false;
  }
}
