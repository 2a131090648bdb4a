import { applyFile } from './apply.ts';
import type { Command } from './command.ts';
import { createAccount } from './create-account.ts';
import { createKey } from './create-key.ts';
import { createUser } from './create-user.ts';
import { doctor } from './doctor.ts';
import { erase } from './erase.ts';
import { importCarrierFile } from './import-carriers.ts';
import { listen } from './listen.ts';
import { migrateDatabase } from './migrate.ts';
import { send } from './send.ts';
import { senders } from './senders.ts';
import { status } from './status.ts';

/** The commands in the order of their list. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  doctor,
  migrate: migrateDatabase,
  'create-account': createAccount,
  'create-user': createUser,
  'create-key': createKey,
  senders,
  'import-carriers': importCarrierFile,
  erase,
  apply: applyFile,
  send,
  status,
  listen,
};
