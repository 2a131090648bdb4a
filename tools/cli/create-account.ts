import { createAccount as store } from '@signalbox/database/accounts/seed';
import { type Command, UsageError, databaseUrl, positionalsOf } from './command.ts';

export const createAccount: Command = {
  forms: ['<account name>'],
  details: 'An account that has the name stays as it is.',
  async run(args) {
    const [name = '', ...rest] = positionalsOf(args);
    if (name.trim() === '' || rest.length > 0)
      throw new UsageError('Name one account; quote a name with spaces.');
    return store(databaseUrl(), name.trim());
  },
};
