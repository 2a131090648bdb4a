import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { endLeftOvers, findNoted } from '../../tools/servers/pid-file.ts';
import { removePostgresData } from '../../tools/servers/postgres-home.ts';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { readDemoAccess } from '../../tools/stack.ts';
import { COMPILE_CACHE } from '../support/service.ts';

test('a start refuses a second one, follows a killed one with its data, and stops completely', async () => {
  await using t = setup();
  const killed = await t.start();
  expect(await t.send()).toMatchObject({ error: null, totalCount: 1 });
  const { apiKey } = readDemoAccess(t.dir);
  const second = t.run();
  expect(await second.exitCode).toBe(1);
  expect(second.output()).toContain(`already running here (process ${killed.pid}, http://127.0.0.1:`);
  const left = t.pids();
  expect(left.length).toBeGreaterThanOrEqual(6);
  process.kill(killed.pid, 'SIGKILL');
  await killed.exitCode;

  const next = await t.start();

  expect(next.output()).toContain(`Ended ${left.length} processes that an earlier run had left behind.`);
  expect(left.filter(isAlive)).toEqual([]);
  expect(readDemoAccess(t.dir).apiKey).toBe(apiKey);
  expect(await t.send()).toMatchObject({ error: null });
  const pids = t.pids();
  process.kill(next.pid, 'SIGTERM');
  expect(await next.exitCode).toBe(0);
  expect(pids.filter(isAlive)).toEqual([]);
});

interface Run {
  pid: number;
  exitCode: Promise<number | null>;
  output: () => string;
}

function setup() {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-start-'));
  const run = (): Run => {
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, '../../tools/start/main.ts'), '--data', dir],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE },
      },
    );
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const exitCode = once(child, 'close').then(([code]) => code as number | null);
    return { pid: child.pid ?? 0, exitCode, output: () => output };
  };
  const start = async () => {
    const started = run();
    await waitFor(() => started.output().includes('Ctrl-C stops everything'), {
      otherwise: 'there was no banner',
    });
    return started;
  };
  const send = async () => {
    const { apiUrl, apiKey = '' } = readDemoAccess(dir);
    const body = JSON.stringify({ sender: 'SIGNAL', to: '919812345678', text: 'Hello', type: 'TRANS' });
    const answer = await fetch(`${apiUrl}/v1/sms`, {
      method: 'POST',
      headers: { apikey: apiKey, 'content-type': 'application/json' },
      body,
    });
    return answer.json();
  };
  const pids = () =>
    readdirSync(dir).flatMap((name) => (name.endsWith('.pid') ? (findNoted(join(dir, name)) ?? []) : []));
  const dispose = async () => {
    const pid = findNoted(join(dir, 'start.lock'));
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
    await endLeftOvers(dir, 0);
    removePostgresData(dir);
    rmSync(dir, { recursive: true });
  };
  return { dir, run, start, send, pids, [Symbol.asyncDispose]: dispose };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
