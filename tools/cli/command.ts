import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findDatabaseUrlProblem } from '@signalbox/runtime/database-url';
import { findAdvice } from '@signalbox/runtime/error-advice';
import { unreachable } from './doctor/finding.ts';
import { readLocalSettings } from './local-settings.ts';

/** Data folder of `npm start`. */
const DATA = join(import.meta.dirname, '../../.signalbox');

/** The version of Signalbox. */
export const { version: VERSION } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
) as { version: string };

/** One command of `npm run cli`; usage.txt says what it does. */
export interface Command {
  /** Arguments, one string for each form. */
  forms: readonly string[];
  /** Sentences about the arguments. */
  details?: string;
  /**
   * @returns the text to print
   * @throws UsageError for wrong arguments; ProblemReport for a result with problems; Error with a text for people
   */
  run(args: string[]): Promise<string>;
}

/** Wrong arguments. The usage of the command is printed below the message. */
export class UsageError extends Error {}

/** A result with problems. It is printed to stdout as any result; the command ends with exit code 1. */
export class ProblemReport extends Error {}

/** The arguments of a command without options. @throws what parseArgs says of an option */
export function positionalsOf(args: string[]): string[] {
  return parseArgs({ args, allowPositionals: true, options: {} }).positionals;
}

/**
 * Reads a setting from the environment; without one, from the `npm start` that runs in this folder.
 *
 * @throws Error that says what to set
 */
export function setting(name: string, purpose: string): string {
  const value = findSetting(name);
  if (value === undefined) throw new Error(`${name} is not set: ${purpose}`);
  return value;
}

/** As `setting`; undefined without one. */
export function findSetting(name: string): string | undefined {
  return process.env[name] || readLocalSettings(DATA, process.env)[name];
}

/** As `findSetting`, for an address that paths are appended to: without slashes at its end. */
export function findAddress(name: string): string | undefined {
  return findSetting(name)?.replace(/\/+$/, '');
}

/** Is true for an address of HTTP. */
export function isHttp(address: string): boolean {
  return /^https?:$/.test(URL.parse(address)?.protocol ?? '');
}

/** The database that commands work on. */
export function databaseUrl(): string {
  const url = setting(
    'DATABASE_URL',
    'name the database, as postgres://user:password@host:5432/name, or run this beside `npm start`.',
  );
  const problem = findDatabaseUrlProblem(url);
  if (problem) throw new Error(`${problem}.`);
  return url;
}

const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'There is no file',
  EISDIR: 'A file is needed; this is a folder:',
  EACCES: 'This user may not read the file',
};

/** Codes of a connection that was not made or broke. The calls of the API have their own words on these. */
const UNCONNECTED = /^(ECONN\w+|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)$/;

/** Words on a failure of a command, with what to do where that is known; of a file that cannot be read, its path. */
export function wordsOn(error: unknown, path?: string): string {
  const { message, code = '', path: named = path } = error as NodeJS.ErrnoException;
  if (UNCONNECTED.test(code)) return unreachable('postgres', 'DATABASE_URL', error).text;
  if (FILE_PROBLEMS[code]) return `${FILE_PROBLEMS[code]} ${named ?? ''}`.trim();
  const advice = findAdvice({ code, message });
  return advice === undefined ? message : `${message}. ${advice}`;
}
