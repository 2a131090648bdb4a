import { expect, test } from '@jest/globals';
import { createAccountKey } from '@signalbox/database/accounts/seed';
import { createDatabase } from '@signalbox/test/database';
import { runCli } from '@signalbox/test/run-cli';

const NUMBER = '15550100002';

test('a number is assigned, listed, and assigned to another account once it is released', async () => {
  await using t = await setup();

  expect(await t.run('assign', `+${NUMBER}`, 'Our company')).toEqual({
    code: 0,
    output: `${NUMBER} is assigned to "Our company", which may now add it as a sender.\n`,
  });
  const refused = await t.run('assign', NUMBER, 'Other');
  expect([refused.code, refused.output]).toEqual([
    1,
    expect.stringMatching(/^15550100002 belongs to another account\. Release it first\.\n.*Our company/),
  ]);
  expect((await t.run('list')).output).toMatch(/^15550100002  Our company \(.*, not in use\n$/);
  expect(await t.run('list', 'Other')).toEqual({ code: 0, output: 'No numbers.\n' });

  expect(await t.run('release', NUMBER)).toEqual({ code: 0, output: `${NUMBER} is released.\n` });
  expect((await t.run('release', NUMBER)).output).toBe(`${NUMBER} belongs to nobody.\n`);
  expect((await t.run('assign', NUMBER, 'Other')).code).toBe(0);
});

test.each([
  ['no form', [], /^senders takes one of three forms\.\n\nUsage: /],
  [
    'an account that does not exist',
    ['assign', NUMBER, 'Nobody'],
    /^There is no account "Nobody"\. Create it with create-account\.\n$/,
  ],
  ['a word for a number', ['release', 'x'], /^x is no phone number/],
  ['a word too many', ['release', NUMBER, 'Other'], /^senders takes one of three forms/],
])('%s is refused', async (_, args, message) => {
  await using t = await setup();

  expect(await t.run(...args)).toEqual({ code: 1, output: expect.stringMatching(message) });
});

async function setup() {
  const database = await createDatabase();
  for (const name of ['Our company', 'Other']) await createAccountKey(database.url, name, 'test');
  return {
    run: (...args: string[]) => runCli(database.url, 'senders', ...args),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
