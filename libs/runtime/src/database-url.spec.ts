import { expect, test } from '@jest/globals';
import { findDatabaseUrlProblem } from './database-url.ts';

test.each([
  'postgres://user:password@host:5432/name',
  'postgresql://host/name?sslmode=require',
  'postgres://user:password@one:5432,two:5433/name',
  'postgres://user:p%23%25%2F@[::1]:5432/name',
  'postgres://user:p@ss@host/name',
  'postgres://user:password@/name?host=/var/run/postgresql',
  'postgres:///name',
  'postgres://%2Fvar%2Frun%2Fpostgresql/name',
])('%s is an address of Postgres', (url) => {
  expect(findDatabaseUrlProblem(url)).toBeUndefined();
});

test.each(['mysql://user:secret@host/name', 'postgres:/user:secret@host/name', 'secret', undefined])(
  '%s is no address of Postgres',
  (url) => {
    expect(findDatabaseUrlProblem(url)).toBe(
      'DATABASE_URL must name a database of Postgres, as postgres://user:password@host:5432/name',
    );
  },
);

test.each([
  'postgres://user:secret#1@host/name',
  'postgres://user:secret/1@host/name',
  'postgres://user:secret%zz@host/name',
  'postgres://user:secret@host:99999/name',
  'postgres://user:secret@one:5432,two:port/name',
])('%s cannot be read, and is not shown', (url) => {
  const problem = findDatabaseUrlProblem(url);
  expect(problem).toMatch(/^DATABASE_URL cannot be read: .*# as %23/);
  expect(problem).not.toContain('secret');
});
