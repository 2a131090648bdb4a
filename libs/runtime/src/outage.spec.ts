import { expect, test } from '@jest/globals';
import { ClosedError, OverloadedError } from './group-commit.ts';
import { isOutage } from './outage.ts';

const coded = (code: string, message = 'x'): Error => Object.assign(new Error(message), { code });

/** An error as TypeORM wraps those of pg. */
const queryFailed = (driverError: Error): Error =>
  Object.assign(new Error(driverError.message), { driverError });

test.each([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  '57P01',
  '57P02',
  '57P03',
  '08006',
  '08001',
  '53300',
  '53100',
  '58030',
  '57014',
  '25P03',
  '40P01',
  '28000',
  '28P01',
  '3D000',
  'EPROTO',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])('the code %s is an outage', (code) => {
  expect(isOutage(coded(code))).toBe(true);
});

test.each([
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Query read timeout',
  'timeout exceeded when trying to connect',
  'All sentinels are unreachable. Retrying from scratch after 100ms.',
  "Cluster isn't ready and enableOfflineQueue options is false",
  'Too many Cluster redirections. Last error: Error: Connection is closed.',
  "READONLY You can't write against a read only replica.",
  "OOM command not allowed when used memory > 'maxmemory'.",
  'MISCONF Errors writing to the AOF file: No space left on device',
  'NOREPLICAS Not enough good replicas to write.',
  'WRONGPASS invalid username-password pair or user is disabled.',
  'NOAUTH Authentication required.',
])('the message "%s" is an outage', (message) => {
  expect(isOutage(new Error(message))).toBe(true);
});

test('a disk of Postgres that became read-only is an outage, unlike a missing privilege', () => {
  const disk = 'could not write to log file "000000010000000000000002" at offset 0: Read-only file system';

  expect(isOutage(coded('42501', disk))).toBe(true);
  expect(isOutage(coded('42501', 'permission denied for table message'))).toBe(false);
});

test('a full or closed group commit is an outage', () => {
  expect(isOutage(new OverloadedError('full'))).toBe(true);
  expect(isOutage(new ClosedError('closed'))).toBe(true);
});

test('an outage is recognized inside wrapping errors', () => {
  expect(isOutage(queryFailed(coded('57P01')))).toBe(true);
  expect(isOutage(new Error('the flush failed', { cause: coded('ECONNRESET') }))).toBe(true);
  expect(isOutage(new AggregateError([coded('ECONNREFUSED'), coded('ECONNREFUSED')]))).toBe(true);
});

test.each([
  ['a unique violation', queryFailed(coded('23505'))],
  ['text that Postgres refuses', coded('22021')],
  ['a type error', new TypeError("Cannot read properties of undefined (reading 'x')")],
  [
    'an error that wraps itself',
    (() => {
      const error = new Error('x');
      error.cause = error;
      return error;
    })(),
  ],
  ['a string', 'ECONNREFUSED'],
  ['nothing', undefined],
])('%s is no outage', (_name, error) => {
  expect(isOutage(error)).toBe(false);
});
