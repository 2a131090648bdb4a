import { parseArgs } from 'node:util';
import { createAccountKey } from '@signalbox/database/accounts/seed';
import { type Command, UsageError, databaseUrl } from './command.ts';

export const createKey: Command = {
  forms: ['<account name> [--test]'],
  summary: 'Creates an API key with every scope, and the account if it is missing',
  details:
    'Prints the key, which is shown this once. --test creates a key for test numbers, which begins with sb_test_.',
  async run(args) {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { test: { type: 'boolean' } },
    });
    const [accountName, ...rest] = positionals;
    if (!accountName || rest.length > 0) throw new UsageError('Name one account; quote a name with spaces.');
    return createAccountKey(databaseUrl(), accountName, values.test ? 'test' : 'live');
  },
};
