import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { endLeftOvers, findNoted, writePidFile } from './pid-file.ts';
import { SupervisedProcess } from './supervised-process.ts';
import { waitFor } from './wait-for.ts';

const STAYS = `setInterval(() => {}, 1000); console.log('up')`;
const REFUSES_TO_STOP = `process.on('SIGTERM', () => {}); ${STAYS}`;

test('a process that is killed is started again, and says so', async () => {
  await using t = setup(STAYS);
  await t.start();
  const first = t.process.pid;

  t.process.kill('SIGKILL');

  await t.until(() => t.lines.length === 2);
  expect(t.process.pid).not.toBe(first);
  expect(t.events).toEqual(['it stopped (killed by SIGKILL); starting it again in 1 s']);
});

test('each further end doubles the delay', async () => {
  await using t = setup('process.exit(3)');
  await t.process.start();

  await t.until(() => t.events.length === 2);

  expect(t.events).toEqual([
    'it stopped (exit code 3); starting it again in 1 s',
    'it stopped (exit code 3); starting it again in 2 s',
  ]);
});

test('a process that was stopped stays so', async () => {
  await using t = setup(STAYS);
  await t.start();

  await t.process.stop();

  expect(t.process.pid).toBeUndefined();
  expect(t.events).toEqual([]);
});

test('a process that does not stop when asked is killed, and says so', async () => {
  await using t = setup(REFUSES_TO_STOP);
  await t.start();
  const { pid } = t.process;

  await t.process.stop();

  expect(t.process.lastEnd).toBe('killed by SIGKILL');
  expect(t.events).toEqual([`it (process ${pid}) did not stop within 0.5 s of SIGTERM; killing it`]);
});

test('what a killed run left behind is found by its file and ended', async () => {
  await using t = setup(STAYS);
  await t.start();
  const pid = t.process.pid;
  expect(findNoted(t.pidFile)).toBe(pid);

  expect(await endLeftOvers(t.dir)).toBe(1);

  expect(findNoted(t.pidFile)).toBeUndefined();
  await t.until(() => t.events.length === 1);
});

test('a process of a killed run that does not stop is killed, and named', async () => {
  await using t = setup(REFUSES_TO_STOP);
  await t.start();
  const { pid } = t.process;
  const killed: string[] = [];

  await endLeftOvers(t.dir, 100, (text) => killed.push(text));

  expect(killed).toEqual([`it (process ${pid}) did not stop within 0.1 s of SIGTERM; killing it`]);
});

test('a pid that belongs to somebody else by now is left alone', async () => {
  await using t = setup(STAYS);
  await t.start();
  const stranger = join(t.dir, 'stranger.pid');
  writePidFile(stranger, t.process.pid ?? 0);
  await t.process.stop();
  await t.start();
  const { pid = 0 } = t.process;
  rmSync(t.pidFile);
  // The system reuses pids: the number is the same, the birth time differs.
  writeFileSync(stranger, JSON.stringify({ ...(JSON.parse(readFileSync(stranger, 'utf8')) as object), pid }));

  expect(await endLeftOvers(t.dir)).toBe(0);

  expect(t.process.pid).toBe(pid);
});

function setup(script: string) {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-process-'));
  const pidFile = join(dir, 'it.pid');
  const lines: string[] = [];
  const events: string[] = [];
  const process = new SupervisedProcess({
    name: 'it',
    command: globalThis.process.execPath,
    args: ['-e', script],
    pidFile,
    stopTimeoutMs: 500,
    onLine: (line) => lines.push(line),
    onEvent: (text) => events.push(text),
  });
  const until = (ask: () => boolean) => waitFor(ask, { otherwise: 'it did not happen' });
  const start = async () => {
    const before = lines.length;
    await process.start();
    await until(() => lines.length > before);
  };
  const dispose = async () => {
    await process.stop();
    rmSync(dir, { recursive: true });
  };
  return { dir, pidFile, lines, events, process, until, start, [Symbol.asyncDispose]: dispose };
}
