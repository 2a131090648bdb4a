import { parseArgs } from 'node:util';
import { createAccountKey } from '@signalbox/database/accounts/seed';
import { parseInstant } from '@signalbox/domain/instant';
import { SCOPES, type Scope } from '@signalbox/domain/scope';
import { type Command, UsageError, databaseUrl } from './command.ts';

export const createKey: Command = {
  forms: ['<account name> [--scopes send,verify,…] [--name <name>] [--expires <time>] [--test]'],
  details: `Prints the key, which is shown this once. Scopes are ${SCOPES.join(', ')}; by default all. --expires takes a time in ISO 8601 with its zone. --test creates a key for test numbers, which begins with sb_test_.`,
  async run(args) {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        test: { type: 'boolean' },
        scopes: { type: 'string' },
        name: { type: 'string' },
        expires: { type: 'string' },
      },
    });
    const [accountName, ...rest] = positionals;
    if (!accountName || rest.length > 0) throw new UsageError('Name one account; quote a name with spaces.');
    return createAccountKey(databaseUrl(), accountName, values.test ? 'test' : 'live', {
      ...(values.scopes !== undefined && { scopes: readScopes(values.scopes) }),
      ...(values.name !== undefined && { name: values.name }),
      ...(values.expires !== undefined && { expiresAt: readTime(values.expires) }),
    });
  },
};

function readScopes(text: string): Scope[] {
  const words = text.split(',').map((word) => word.trim());
  const wrong = words.find((word) => !SCOPES.some((scope) => scope === word));
  if (wrong !== undefined) throw new UsageError(`"${wrong}" is no scope; scopes are ${SCOPES.join(', ')}.`);
  return [...new Set(words as Scope[])];
}

function readTime(text: string): Date {
  const at = parseInstant(text);
  if (!at || at.getTime() <= Date.now())
    throw new UsageError('--expires must be a time in the future, such as 2027-01-31T00:00:00Z.');
  return at;
}
