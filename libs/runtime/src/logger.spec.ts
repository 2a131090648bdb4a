import { readFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { createLogger } from './logger.ts';

const MODULE = join(import.meta.dirname, 'logger.ts');

test('a routine event is a line of the level info', () => {
  const { logger, lines } = setup('info');
  logger.routine({ status: 200 }, 'http.answered');
  expect(lines()).toMatchObject([{ level: 'info', app: 'test', status: 200, event: 'http.answered' }]);
});

test('a line has a message for viewers: the event, and what its error says', () => {
  const { logger, lines } = setup('info');
  logger.warn({ error: new Error('connect ECONNREFUSED 127.0.0.1:5432') }, 'dependency.lost');
  logger.error({ detail: 'no provider' }, 'nest.error');
  logger.info({ jobs: 1 }, 'process.started');
  expect(lines()).toMatchObject([
    { event: 'dependency.lost', message: 'dependency.lost: connect ECONNREFUSED 127.0.0.1:5432' },
    { event: 'nest.error', message: 'nest.error: no provider' },
    { event: 'process.started', message: 'process.started' },
  ]);
});

test.each([
  ['42P01', /run the command migrate/],
  ['EADDRINUSE', /set another port/],
  ['ENOTFOUND', /No host has this name: correct HOST/],
  ['CERT_HAS_EXPIRED', /renew it/],
  ['28P01', /user and password in DATABASE_URL/],
  ['3D000', /Create that database/],
  ['42501', /lacks a privilege/],
  ['53100', /free space there/],
  ['ENOSPC', /free space there/],
])('a line of an error %s says what to do', (code, advice) => {
  const { logger, lines } = setup('info');
  logger.error({ error: Object.assign(new Error('no'), { code }) }, 'process.start_failed');
  expect(lines()).toMatchObject([{ error: { advice: expect.stringMatching(advice) } }]);
});

test.each([
  ['WRONGPASS invalid username-password pair or user is disabled.', /password in QUEUE_URL/],
  ['NOAUTH Authentication required.', /password in QUEUE_URL/],
  ['ERR DB index is out of range', /a database that the Redis of QUEUE_URL has/],
  ['listen EADDRNOTAVAIL: address not available 203.0.113.7:3000', /HOST must be an address of this machine/],
  ['listen EACCES: permission denied 0.0.0.0:80', /set another PORT/],
])('a line of the error %j says what to do', (message, advice) => {
  const { logger, lines } = setup('info');
  logger.error({ error: new Error(message) }, 'process.start_failed');
  expect(lines()).toMatchObject([{ error: { advice: expect.stringMatching(advice) } }]);
});

test('a line of an error about a file has the path of the file', async () => {
  const { logger, lines } = setup('info');
  const error: unknown = await readFile('/nowhere/gateways.yml').catch((failure: unknown) => failure);
  logger.error({ error }, 'process.start_failed');
  expect(lines()).toMatchObject([{ error: { code: 'ENOENT', path: '/nowhere/gateways.yml' } }]);
});

test('a routine event is dropped at the level warn', () => {
  const { logger, lines } = setup('warn');
  logger.routine({ status: 200 }, 'http.answered');
  expect(lines()).toEqual([]);
});

test('secrets of other events are redacted', () => {
  const { logger, lines } = setup('info');
  logger.info({ apikey: 'a', nested: { otp: '123456' } }, 'event');
  expect(lines()).toMatchObject([{ apikey: '[redacted]', nested: { otp: '[redacted]' } }]);
});

test('a process that exits writes the routine lines that wait in memory', async () => {
  const program = `const { createLogger } = await import(${JSON.stringify(MODULE)});
    const logger = createLogger('test', 'info');
    for (let i = 0; i < 100; i += 1) logger.routine({ i }, 'event');
    process.exit(3);`;
  const ended = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  const { code, stdout } = (await ended.catch((error: unknown) => error)) as { code: number; stdout: string };
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { i: number });
  expect({ code, numbers: lines.map(({ i }) => i) }).toEqual({
    code: 3,
    numbers: Array.from({ length: 100 }, (_, i) => i),
  });
});

function setup(level: string) {
  const written: string[] = [];
  const logger = createLogger('test', level, { write: (line) => void written.push(line) });
  return { logger, lines: () => written.map((line) => JSON.parse(line) as object) };
}
