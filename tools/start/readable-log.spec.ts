import { expect, test } from '@jest/globals';
import { ReadableLog } from './readable-log.ts';

test('an event of an app becomes one line with its time, level, app, name and fields', () => {
  const { log, lines } = setup();

  log.line('api', event({ event: 'http.answered', status: 200, path: '/v1/sms' }));

  expect(lines()).toEqual(['10:15:30.123 info  api            http.answered status=200 path=/v1/sms']);
});

test('an error that a person must fix shows its stack, one that healed its message only', () => {
  const { log, lines } = setup();

  const error = { message: 'no', stack: 'Error: no\n    at here' };

  log.line('api', event({ level: 'error', event: 'http.failed', error }));
  log.line('api', event({ level: 'warn', event: 'queue.unreachable', error }));

  expect(lines()).toEqual([
    '10:15:30.123 error api            http.failed error=Error: no',
    '    at here',
    '10:15:30.123 warn  api            queue.unreachable error=no',
  ]);
});

test('a line that is no event is passed on as it is', () => {
  const { log, lines } = setup();

  log.line('otp-worker', 'SyntaxError: oops');

  expect(lines()[0]).toMatch(/^ +otp-worker {5}SyntaxError: oops$/);
});

test('routine beyond what a person reads is left out, warnings never', () => {
  const { log, lines } = setup();

  for (let i = 0; i < 1_000; i += 1) log.line('api', event({ event: 'http.answered' }));
  log.line('api', event({ level: 'warn', event: 'queue.unreachable' }));

  expect(lines()).toHaveLength(51);
  expect(lines().at(-1)).toContain('queue.unreachable');
});

test('while nobody reads, lines are dropped and the apps continue', () => {
  const { log, lines, output } = setup();

  output.writableLength = 2 * 1024 * 1024;
  log.line('api', event({ event: 'http.answered' }));

  expect(lines()).toEqual([]);
});

function setup() {
  let written = '';
  const output = { write: (text: string) => (written += text), writableLength: 0 };
  return { log: new ReadableLog(output, false), output, lines: () => written.split('\n').slice(0, -1) };
}

function event(fields: object): string {
  const head = { level: 'info', time: '2026-11-20T10:15:30.123Z', app: 'api' };
  return JSON.stringify({ ...head, ...fields, message: 'for viewers' });
}
