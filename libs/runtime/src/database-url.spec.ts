import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { findDatabaseUrlProblem } from './database-url.ts';
import { findQueueUrlProblem } from './queue-url.ts';

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

test('the address of a queue on Postgres is one that can be read, with one host', () => {
  expect(findQueueUrlProblem('postgres://user:p@ss@host/name')).toBeUndefined();
  expect(findQueueUrlProblem('postgres:///name')).toBeUndefined();
  expect(findQueueUrlProblem('postgres://user:secret#1@host/name')).toMatch(
    /^QUEUE_URL cannot be read: .*# as %23/,
  );
  expect(findQueueUrlProblem('postgres://user:secret@one:5432,two:5433/name')).toMatch(
    /^QUEUE_URL must name one host of Postgres: /,
  );
});

test('a file of certificates that cannot be used is named, with its setting', () => {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-certificates-'));
  const [good, empty, missing] = ['good', 'empty', 'missing'].map((name) => join(dir, name));
  writeFileSync(good!, 'a certificate');
  writeFileSync(empty!, '\n');
  const urlOf = (file = ''): string =>
    `postgres://user:secret@host/name?sslmode=verify-full&sslrootcert=${encodeURIComponent(file)}`;

  expect([urlOf(good), urlOf(empty), urlOf(missing), urlOf(dir)].map(findDatabaseUrlProblem)).toEqual([
    undefined,
    `DATABASE_URL names ${empty} as sslrootcert, which is empty: name a file in PEM that this process may read`,
    expect.stringContaining(`names ${missing} as sslrootcert, which cannot be read (ENOENT)`),
    expect.stringContaining(`names ${dir} as sslrootcert, which cannot be read (EISDIR)`),
  ]);
  expect(findQueueUrlProblem(urlOf(empty))).toContain(
    `QUEUE_URL names ${empty} as sslrootcert, which is empty`,
  );
  rmSync(dir, { recursive: true });
});
