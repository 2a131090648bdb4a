import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { endLeftOvers, findNoted } from '../../tools/servers/pid-file.ts';
import { removePostgresData } from '../../tools/servers/postgres-home.ts';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { readDemoAccess } from '../../tools/stack.ts';
import { createDatabase } from '../support/database.ts';
import { A_QUEUE } from '../support/queue.ts';
import { makeServerFolder } from '../support/server-folder.ts';

const ROOT = join(import.meta.dirname, '../..');

// `npm run dev` does so for all apps
beforeAll(() => {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  for (const app of ['otp-worker', 'sms-worker'])
    execFileSync(process.execPath, [tsc, '-p', join(ROOT, 'apps', app, 'tsconfig.build.json')]);
});

test('a start refuses a second one, follows a killed one with its data, and stops completely', async () => {
  await using t = setup();
  const killed = await t.start({ env: { DATABASE_URL: '', QUEUE_URL: '', SECRETS_KEY: '' } }); // as if absent
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

test('a start that fails ends with the reason of the app, and what to do', async () => {
  await using database = await createDatabase();
  await using t = setup();
  const env = { DATABASE_URL: database.url, ...A_QUEUE.settings(database.url), RETENTION_DAYS: '1' };

  const failed = t.run({ args: ['--dev', 'sms-worker'], env });

  expect(await failed.exitCode).toBe(1);
  expect(failed.errors().trimEnd().split('\n').at(-1)).toMatch(
    /^Signalbox did not start: sms-worker: RETENTION_DAYS must be .*\. Correct it in the environment, and start again\.$/,
  );
  expect(failed.output()).not.toContain('starting it again');
});

test('a data folder that cannot be made is named', async () => {
  await using t = setup();
  writeFileSync(join(t.dir, 'file'), '');

  const failed = t.run({ args: ['--data', join(t.dir, 'file', 'data')] });

  expect(await failed.exitCode).toBe(1);
  expect(failed.output()).toMatch(/^Signalbox did not start: ENOTDIR: .*file\/data'\n$/);
});

test('--reset leaves a database of DATABASE_URL, its keys and its media as they are', async () => {
  await using database = await createDatabase();
  await using t = setup();
  const env = { DATABASE_URL: database.url, ...A_QUEUE.settings(database.url) };
  const first = await t.start({ args: ['--dev', 'otp-worker'], env });
  const media = join(t.dir, 'media', 'upload');
  mkdirSync(dirname(media), { recursive: true });
  writeFileSync(media, 'of a row');
  process.kill(first.pid, 'SIGTERM');
  await first.exitCode;

  const next = await t.start({ args: ['--dev', 'otp-worker', '--reset'], env });

  expect(next.output()).toContain('DATABASE_URL is set: --reset leaves that database');
  expect(readFileSync(media, 'utf8')).toBe('of a row');
});

test('npm run dev restarts an app when its changed sources compile, and ends it with Ctrl-C', async () => {
  await using database = await createDatabase();
  await using t = setup();
  const root = t.copyRepository('otp-worker');
  const source = join(root, 'apps/otp-worker/src/main.ts');
  const code = readFileSync(source, 'utf8');
  const servers = { DATABASE_URL: database.url, ...A_QUEUE.settings(database.url) };
  const dev = await t.start({ root, args: ['--dev', 'otp-worker'], env: servers });
  expect(dev.output()).toMatch(/Inspect +otp-worker \d+; sources are watched/);
  const [first] = t.pids();

  // as editors and Git write: by replacing the file
  await replaceFile(source, `${code}const wrong: number = 'text';`);
  await dev.until('apps/otp-worker does not compile');
  expect(t.pids()).toContain(first);
  expect(readFileSync(join(root, 'apps/otp-worker/dist/main.js'), 'utf8')).not.toContain('wrong');
  await replaceFile(source, `${code}console.log('of the new code');`);
  await dev.until('Reloaded otp-worker in');
  await dev.until('of the new code');

  expect(t.pids()).not.toContain(first);
  const pids = t.pids();
  process.kill(dev.pid, 'SIGINT');
  expect(await dev.exitCode).toBe(0);
  expect(pids.filter(isAlive)).toEqual([]);
});

async function replaceFile(path: string, content: string): Promise<void> {
  await writeFile(`${path}.new`, content);
  await rename(`${path}.new`, path);
}

interface Run {
  pid: number;
  exitCode: Promise<number | null>;
  output: () => string;
  /** Returns stderr alone, which the output has too. */
  errors: () => string;
  /** Resolves when the output has a text. */
  until: (text: string) => Promise<void>;
}

interface RunOptions {
  /** The repository, or a copy of it. */
  root?: string;
  args?: readonly string[];
  env?: NodeJS.ProcessEnv;
}

function setup() {
  const dir = makeServerFolder('signalbox-start-');
  const run = ({ root = ROOT, args = [], env = {} }: RunOptions = {}): Run => {
    const child = spawn(process.execPath, [join(root, 'tools/start/main.ts'), '--data', dir, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    let output = '';
    let errors = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const exitCode = once(child, 'close').then(([code]) => code as number | null);
    const until = (text: string) =>
      waitFor(() => output.includes(text), { otherwise: () => `no "${text}" in the output:\n${output}` });
    return { pid: child.pid ?? 0, exitCode, output: () => output, errors: () => errors, until };
  };
  const start = async (options?: RunOptions) => {
    const started = run(options);
    await started.until('Ctrl-C stops everything');
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
  /** Copies the tools and one app, for a test to change; the rest is linked. */
  const copyRepository = (app: string): string => {
    const root = join(dir, 'copy');
    mkdirSync(join(root, 'apps'), { recursive: true });
    for (const path of ['tools', `apps/${app}`])
      cpSync(join(ROOT, path), join(root, path), { recursive: true, verbatimSymlinks: true });
    for (const path of ['libs', 'node_modules', 'tsconfig.base.json'])
      symlinkSync(join(ROOT, path), join(root, path));
    return root;
  };
  const dispose = async () => {
    const pid = findNoted(join(dir, 'start.lock'));
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
    await endLeftOvers(dir, 0);
    removePostgresData(dir);
    rmSync(dir, { recursive: true });
  };
  return { dir, run, start, send, pids, copyRepository, [Symbol.asyncDispose]: dispose };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
