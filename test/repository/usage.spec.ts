import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { COMMANDS } from '../../tools/cli/commands.ts';
import { APPS } from '../../tools/servers/app-process.ts';

const ROOT = join(import.meta.dirname, '../..');
const NEEDED = ['package.json', 'tools/bootstrap.mjs', 'tools/start/usage.txt', 'tools/cli/usage.txt'];

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
