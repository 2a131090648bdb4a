import { findTlsAdvice } from '@signalbox/runtime/tls-failure';

const ADVICE = 'Check its address, that it runs, and that this machine may reach it.';
const LOGIN = 'Check its user and password.';
const OTHER_SERVER = 'Another program may answer at this address: check host, port and scheme.';

/** Sentences of advice by the text or the code of an error. */
const ADVICE_BY_REASON: readonly (readonly [RegExp, string])[] = [
  [/WRONGPASS|NOAUTH|NOPERM|password authentication|no pg_hba.conf entry|28P01/, LOGIN],
  [/database ".*" does not exist/, 'Create the database, or name the right one.'],
  [/Protocol error|terminated unexpectedly/, OTHER_SERVER],
  [/ENOTFOUND|EAI_AGAIN/, 'No host has this name: check its spelling, and DNS on this machine.'],
  [
    /InvalidAccessKeyId|SignatureDoesNotMatch|AccessDenied/,
    'Let its key read, write and delete objects there.',
  ],
  [/NoSuchBucket/, 'Create the bucket, or name the right one.'],
  [/EACCES|EPERM|EROFS/, 'Let the user of the process write there.'],
];

/** The result of one check. */
export interface Finding {
  /** `problem` keeps the service from working or from keeping its promises; `warning` may do so later. */
  level: 'ok' | 'warning' | 'problem';
  /** The part that was checked. */
  part: string;
  /** A sentence; for a problem or warning also what to do. */
  text: string;
}

/** A count with its noun, as `1 problem` or `2 problems`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Keeps the conditions that failed. Without any, `good` is the finding. */
export function findingsOf(part: string, good: string, failed: (Omit<Finding, 'part'> | false)[]): Finding[] {
  const found = failed.filter((finding) => finding !== false).map((finding) => ({ part, ...finding }));
  return found.length > 0 ? found : [{ part, level: 'ok', text: good }];
}

/** Finding of a check that could not be made. */
export function unreachable(part: string, name: string, error: unknown): Finding {
  const { message, code, name: kind, path } = error as NodeJS.ErrnoException;
  const reason = (message || String(code)).replace(/; if the root CA .*|\. Please report this\.?$|\.$/, '');
  const advice =
    code === 'ENOENT' && path
      ? 'Name a file of certificates that this process can read.'
      : (findTlsAdvice({ code, message }) ?? adviceOn(`${code} ${kind} ${message}`));
  return { part, level: 'problem', text: `${name} cannot be used: ${reason}. ${advice}` };
}

/** Codes of errors of a Postgres that cannot be used. */
const UNREACHABLE = /^(E[A-Z_]+|28\d{3}|28P01|3D000)$/;

/** Makes a function that throws an error of Postgres again, with the setting that leads to it and what to do. */
export function explain(name: string): (cause: NodeJS.ErrnoException) => never {
  return (cause) => {
    if (!UNREACHABLE.test(String(cause.code))) throw cause;
    throw new Error(unreachable('postgres', name, cause).text, { cause });
  };
}

function adviceOn(reason: string): string {
  return ADVICE_BY_REASON.find(([pattern]) => pattern.test(reason))?.[1] ?? ADVICE;
}
