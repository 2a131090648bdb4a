import { migrate } from '@signalbox/database/core/migrate';
import { type Command, UsageError, databaseUrl } from './command.ts';
import { explain } from './doctor/finding.ts';

export const migrateDatabase: Command = {
  forms: [''],
  details: 'Safe while the service runs, safe to repeat, and safe to run from several machines at once.',
  async run(args) {
    if (args.length > 0) throw new UsageError('migrate takes no arguments.');
    await migrate(databaseUrl()).catch(explain('DATABASE_URL'));
    return 'The database is up to date.';
  },
};
