import { findSpaceProblem } from './config-problem.ts';

const FORM = 'postgres://user:password@host:5432/name';
const UNREADABLE = `DATABASE_URL cannot be read: write it as ${FORM}, and in user and password % as %25, # as %23, / as %2F, ? as %3F and @ as %40`;

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
  const { before, hosts = '', after } = ADDRESS.exec(url)?.groups ?? {};
  const isReadable = hosts.split(',').every((host) => canRead(`${before}${host}${after}`));
  return isReadable ? undefined : UNREADABLE;
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
