import { findTlsAdvice } from './tls-failure.ts';

const MIGRATE = 'The database lacks the schema of this version: run the command migrate.';
const NO_HOST =
  'No host has this name: correct HOST, or the setting that names it, and check DNS on this machine.';
const LOGIN =
  'Correct user and password in DATABASE_URL, or in QUEUE_URL for a queue on Postgres, or let the server accept them.';

/** Sentences on errors that an operator fixes, by their codes. */
const ADVICE_BY_CODE: Readonly<Record<string, string>> = {
  '28000': LOGIN, // invalid_authorization_specification
  '28P01': LOGIN, // invalid_password
  '3D000':
    'Create that database, or correct its name in DATABASE_URL, or in QUEUE_URL for a queue on Postgres.',
  '42501':
    'The user of DATABASE_URL lacks a privilege: connect as the owner of the tables, or let the owner grant it.',
  '53100': 'The disk of the database is full: free space there.', // disk_full
  '42P01': MIGRATE, // undefined_table
  '42703': MIGRATE, // undefined_column
  ENOSPC: 'The disk is full: free space there.',
  ENOTFOUND: NO_HOST,
  EAI_AGAIN: NO_HOST,
  EADDRINUSE: 'Another program listens on this port: end it, or set another port.',
};

/** The same by the message of the error, for replies of Redis and for ports, whose codes mean other things too. */
const ADVICE_BY_MESSAGE: readonly (readonly [RegExp, string])[] = [
  [/^(WRONGPASS|NOAUTH|ERR AUTH) /, 'Correct user and password in QUEUE_URL.'],
  [/^NOPERM /, 'Let the user of QUEUE_URL run all commands on all keys.'],
  [/^OOM /, 'Redis is full: raise its maxmemory.'],
  [/^MISCONF /, 'Redis cannot write to its disk: free space there, or repair it.'],
  [/\bREADONLY /, 'The server of QUEUE_URL is a replica: let the address lead to the primary.'],
  [/^NOREPLICAS /, 'Redis misses replicas that min-replicas-to-write demands: start them.'],
  [/^ERR DB index is out of range/, 'Name a database that the Redis of QUEUE_URL has, as /0.'],
  [/^listen EADDRNOTAVAIL/, 'HOST must be an address of this machine, or 0.0.0.0 for all of them.'],
  [/^listen EACCES/, 'This user may not listen on ports below 1024: set another PORT.'],
];

/** Says what an operator does about an error; undefined where that is not known. */
export function findAdvice(error: { code?: unknown; message: string }): string | undefined {
  return findTlsAdvice(error) ?? ADVICE_BY_CODE[String(error.code)] ?? adviceOn(error.message);
}

function adviceOn(message: string): string | undefined {
  return ADVICE_BY_MESSAGE.find(([pattern]) => pattern.test(message))?.[1];
}
