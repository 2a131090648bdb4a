import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { runCli } from '@signalbox/test/run-cli';
import { UsageError } from './command.ts';
import { COMMANDS } from './commands.ts';

const PACKAGE = join(import.meta.dirname, '../../package.json');
const NO_DATABASE = 'postgres://127.0.0.1:1/none';

test('--help shows the arguments of a command, in lines that a terminal holds', async () => {
  const { code, output } = await runCli(NO_DATABASE, 'create-key', '--help');

  const [usage, ...text] = output.split('\n');
  expect([code, usage]).toEqual([
    0,
    expect.stringMatching(/^Usage: npm run cli -- create-key <account name>/),
  ]);
  expect(text.filter((line) => line.length > 100)).toEqual([]);
});

test.each([
  ['create-account', 'X'],
  ['create-key', 'X'],
  ['create-user', 'a@example.com', '--account', 'X'],
  ['senders', 'list'],
  ['erase', '919812345678'],
])('%s names the setting of a database that refuses the connection', async (...args) => {
  expect(await runCli('postgres://localhost:1/none', ...args)).toEqual({
    code: 1,
    output: expect.stringMatching(
      /^DATABASE_URL cannot be used: .*ECONNREFUSED.* Check its address, that it runs/,
    ),
  });
});

test('an unknown option is named in one sentence, above the arguments that there are', async () => {
  const { code, output } = await runCli(NO_DATABASE, 'send', '--frob');

  expect(code).toBe(1);
  expect(output).toMatch(/^Unknown option '--frob'\.?\n\nUsage: npm run cli -- send <number>/);
});

test('help of a command is its --help', async () => {
  expect(await runCli(NO_DATABASE, 'help', 'erase')).toEqual(await runCli(NO_DATABASE, 'erase', '--help'));
});

test.each(['--version', '-v'])('%s prints the version of the packages', async (option) => {
  const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string };

  expect(await runCli(NO_DATABASE, option)).toEqual({ code: 0, output: `${version}\n` });
});

test('a text that begins with a dash is refused with the form that sends it', async () => {
  const { code, output } = await runCli(NO_DATABASE, 'send', '919800000001', '-50 % today');

  expect(code).toBe(1);
  expect(output.replaceAll(/\s+/g, ' ')).toMatch(/^Unknown option .* send 919800000001 -- "-50 % today"/);
});

test.each(Object.keys(COMMANDS))('%s refuses an option that it does not have', async (name) => {
  const { run } = await COMMANDS[name]!();

  const refusal: unknown = await run(['--frob']).catch((error: unknown) => error);

  const { code } = refusal as NodeJS.ErrnoException;
  expect([refusal instanceof UsageError, code]).toEqual([
    !code,
    code && expect.stringMatching(/^ERR_PARSE_ARGS/),
  ]);
});
