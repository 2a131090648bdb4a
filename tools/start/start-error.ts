import { findAdvice } from '@signalbox/runtime/error-advice';

const ANOTHER_USER = 'Run this as the user that the data folder belongs to, or name another one with --data.';

/** Sentences on errors of the data folder, by their codes. */
const ADVICE_BY_CODE: Readonly<Record<string, string>> = {
  EACCES: ANOTHER_USER,
  EPERM: ANOTHER_USER,
  EROFS: 'Name a data folder that can be written, with --data.',
};

/** Says why `npm start` failed, and what to do where that is known. */
export function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  const advice = ADVICE_BY_CODE[String(code)] ?? findAdvice({ code, message });
  return advice === undefined ? message : `${message.replace(/\.$/, '')}. ${advice}`;
}
