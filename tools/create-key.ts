import { parseArgs } from 'node:util';
import { createAccountKey } from '@signalbox/database/accounts/seed';

const USAGE = `Usage: node tools/create-key.ts <account name> [--test]
Creates an API key with every scope in the database of DATABASE_URL, and the account if no account has that name.
The key is shown once.`;

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { test: { type: 'boolean' } },
  });
  const [accountName] = positionals;
  const databaseUrl = process.env.DATABASE_URL;
  if (positionals.length !== 1 || !accountName) throw new Error(USAGE);
  if (!databaseUrl) throw new Error('DATABASE_URL is not set.');
  console.log(await createAccountKey(databaseUrl, accountName, values.test ? 'test' : 'live'));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
