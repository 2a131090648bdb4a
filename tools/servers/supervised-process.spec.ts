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
  expect(t.restarts).toEqual(['it stopped (killed by SIGKILL); starting it again in 1 s']);
});

test('each further end doubles the delay', async () => {
  await using t = setup('process.exit(3)');
  await t.process.start();

  await t.until(() => t.restarts.length === 2);

  expect(t.restarts).toEqual([
    'it stopped (exit code 3); starting it again in 1 s',
    'it stopped (exit code 3); starting it again in 2 s',
  ]);
});

test('a process that was stopped stays so', async () => {
  await using t = setup(STAYS);
  await t.start();

  await t.process.stop();

  expect(t.process.pid).toBeUndefined();
  expect(t.restarts).toEqual([]);
});

test('a process that does not stop when asked is killed', async () => {
  await using t = setup(REFUSES_TO_STOP);
  await t.start();

  await t.process.stop();

  expect(t.process.lastEnd).toBe('killed by SIGKILL');
});

test('what a killed run left behind is found by its file and ended', async () => {
  await using t = setup(STAYS);
  await t.start();
  const pid = t.process.pid;
  expect(findNoted(t.pidFile)).toBe(pid);

  expect(await endLeftOvers(t.dir)).toBe(1);

  expect(findNoted(t.pidFile)).toBeUndefined();
  await t.until(() => t.restarts.length === 1);
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
  const restarts: string[] = [];
  const process = new SupervisedProcess({
    name: 'it',
    command: globalThis.process.execPath,
    args: ['-e', script],
    pidFile,
    stopTimeoutMs: 500,
    onLine: (line) => lines.push(line),
    onRestart: (text) => restarts.push(text),
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
  return { dir, pidFile, lines, restarts, process, until, start, [Symbol.asyncDispose]: dispose };
}
