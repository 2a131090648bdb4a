import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { COMMANDS } from '../../tools/cli/commands.ts';
import { APPS } from '../../tools/servers/app-process.ts';

const ROOT = join(import.meta.dirname, '../..');
const NEEDED = ['package.json', 'tools/bootstrap.mjs', 'tools/start/usage.txt', 'tools/cli/usage.txt'];
const BUILT = [
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'turbo.json',
  'tsconfig.base.json',
  'rolldown.config.mjs',
];

test.each([
  ['start', '--help', 'tools/start/main.ts'],
  ['dev', '-h', 'tools/start/main.ts'],
  ['cli', '--help', 'tools/cli/main.ts'],
])('%s %s prints in a clone without packages what the command itself prints', (task, option, program) => {
  const clone = mkdtempSync(join(tmpdir(), 'signalbox-clone-'));
  for (const path of NEEDED) cpSync(join(ROOT, path), join(clone, path));

  const early = print(join(clone, 'tools/bootstrap.mjs'), task, option);

  expect(early).toMatch(/^Usage: npm /);
  expect(print(join(ROOT, program), option)).toBe(early);
  rmSync(clone, { recursive: true });
});

test('notices of an installation and a build are on stderr, apart from the output of the task', () => {
  const clone = mkdtempSync(join(tmpdir(), 'signalbox-clone-'));
  for (const path of [...NEEDED, ...BUILT]) cpSync(join(ROOT, path), join(clone, path));
  for (const folder of ['apps', 'libs', 'node_modules']) mkdirSync(join(clone, folder));
  writeFileSync(join(clone, 'npx'), '#!/bin/sh\n', { mode: 0o755 });
  const env = { ...process.env, PATH: `${clone}${delimiter}${process.env['PATH']}` };

  const { stdout, stderr } = spawnSync(
    process.execPath,
    [join(clone, 'tools/bootstrap.mjs'), 'cli', 'create-key', 'Shop'],
    { env, encoding: 'utf8' },
  );

  expect([stdout, stderr]).toEqual(['', expect.stringMatching(/^Installing packages .*\nBuilding…\n/)]);
  rmSync(clone, { recursive: true });
});

test('the usage of start names the apps, that of the command line the commands', () => {
  const start = print(join(ROOT, 'tools/start/main.ts'), '--help');
  const cli = print(join(ROOT, 'tools/cli/main.ts'), '--help');

  expect(start).toContain(`\n${APPS.join(', ')}, or all.`);
  expect(Array.from(cli.matchAll(/^  (\S+) +[A-Z]/gm), ([, name]) => name)).toEqual(Object.keys(COMMANDS));
});

function print(file: string, ...args: string[]): string {
  const env = { ...process.env, NODE_OPTIONS: '', SIGNALBOX_PROGRAM: undefined };
  return spawnSync(process.execPath, [file, ...args], { env, encoding: 'utf8' }).stdout;
}
