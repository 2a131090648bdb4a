import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { RULES } from '@signalbox/domain/violation';
import { errorsByStatus } from '../docs/error-page.ts';
import { ERRORS } from './error-codes.ts';
import type { ErrorKind } from './error-kind.ts';

const documented = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'));

function row(code: string, { status, retryable, title, action }: ErrorKind): string {
  return `| \`${code}\` | ${status} | ${retryable ? 'yes' : 'no'} | ${title} | ${action} |`;
}

test('docs/errors.md has exactly the rules, in their order', () => {
  const rules = documented.slice(Object.keys(ERRORS).length);

  expect(rules).toEqual(Object.entries(RULES).map(([rule, meaning]) => `| \`${rule}\` | ${meaning} |`));
});

test('docs/errors.md has exactly the rows of the table of error codes, by status', () => {
  const rows = documented.slice(0, Object.keys(ERRORS).length);

  expect(rows).toEqual(errorsByStatus().map(([code, kind]) => row(code, kind)));
});

test('every retryable code has a status that clients retry', () => {
  const retryable = Object.values<ErrorKind>(ERRORS).filter((kind) => kind.retryable);

  expect(new Set(retryable.map(({ status }) => status))).toEqual(new Set([408, 409, 429, 503]));
});
