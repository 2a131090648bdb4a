import type { Command } from './command.ts';

/** Loads a command by its name, in the order of the list: all together load three to ten times what one needs. */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  doctor: async () => (await import('./doctor.ts')).doctor,
  migrate: async () => (await import('./migrate.ts')).migrateDatabase,
  'create-account': async () => (await import('./create-account.ts')).createAccount,
  'create-user': async () => (await import('./create-user.ts')).createUser,
  'create-key': async () => (await import('./create-key.ts')).createKey,
  senders: async () => (await import('./senders.ts')).senders,
  'import-carriers': async () => (await import('./import-carriers.ts')).importCarrierFile,
  erase: async () => (await import('./erase.ts')).erase,
  apply: async () => (await import('./apply.ts')).applyFile,
  send: async () => (await import('./send.ts')).send,
  status: async () => (await import('./status.ts')).status,
  listen: async () => (await import('./listen.ts')).listen,
};
