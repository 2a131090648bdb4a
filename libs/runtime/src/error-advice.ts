import { findTlsAdvice } from './tls-failure.ts';

const MIGRATE = 'The database lacks the schema of this version: run the command migrate.';

/** Sentences on errors that an operator mends, by their codes. */
const ADVICE_BY_CODE: Readonly<Record<string, string>> = {
  '42P01': MIGRATE, // undefined_table
  '42703': MIGRATE, // undefined_column
  EADDRINUSE: 'Another program listens on this port: end it, or set another port.',
};

/** Says what an operator does about an error; undefined where that is not known. */
export function findAdvice(error: { code?: unknown; message: string }): string | undefined {
  return findTlsAdvice(error) ?? ADVICE_BY_CODE[String(error.code)];
}
