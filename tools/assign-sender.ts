import { parseArgs } from 'node:util';
import { findAccountsNamed } from '@signalbox/database/accounts/accounts';
import {
  type AssignedSender,
  assignSender,
  listAssignments,
  releaseSender,
} from '@signalbox/database/chat/assignments';
import { type EntityManager, inTransaction } from '@signalbox/database/core/in-transaction';
import { parseMsisdn } from '@signalbox/domain/msisdn';

const USAGE = `Usage: node tools/assign-sender.ts assign <number> <account name or id>
       node tools/assign-sender.ts release <number> [--remove-sender]
       node tools/assign-sender.ts list [account name or id]
Says which account may send from a number of a chat app, in the database of DATABASE_URL. A released number is nobody's;
--remove-sender also takes it away from an account that sends from it.`;

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'remove-sender': { type: 'boolean', default: false } },
  });
  const databaseUrl = process.env.DATABASE_URL;
  if (!databaseUrl) throw new Error('DATABASE_URL is not set.');
  console.log(
    await inTransaction(databaseUrl, 'signalbox-assign-sender', (db) =>
      run(db, positionals, values['remove-sender']),
    ),
  );
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

async function run(db: EntityManager, [command, ...rest]: string[], removesSender: boolean): Promise<string> {
  const [first, second] = rest;
  if (command === 'list' && rest.length <= 1) return list(db, first);
  if (command === 'release' && first && rest.length === 1) return release(db, toMsisdn(first), removesSender);
  if (command === 'assign' && first && second && rest.length === 2)
    return assign(db, toMsisdn(first), second);
  throw new Error(USAGE);
}

async function assign(db: EntityManager, msisdn: string, account: string): Promise<string> {
  const { id, name } = await accountOf(db, account);
  if (!(await assignSender(db, id, msisdn))) {
    const [owner] = await listAssignments(db, { msisdn });
    throw new Error(
      `${msisdn} belongs to another account. Release it first.${owner ? `\n${lineOf(owner)}` : ''}`,
    );
  }
  return `${msisdn} is assigned to "${name}", which may now add it as a sender.`;
}

async function release(db: EntityManager, msisdn: string, removesSender: boolean): Promise<string> {
  const outcome = await releaseSender(db, msisdn, removesSender);
  if (outcome === 'in_use')
    throw new Error(
      `${msisdn} is in use. --remove-sender takes it away from its account: messages that wait to be sent from it then fail.`,
    );
  return outcome === 'released' ? `${msisdn} is released.` : `${msisdn} belongs to nobody.`;
}

async function list(db: EntityManager, account: string | undefined): Promise<string> {
  const filter = account === undefined ? {} : { accountId: (await accountOf(db, account)).id };
  const found = await listAssignments(db, filter);
  return found.length > 0 ? found.map(lineOf).join('\n') : 'No numbers.';
}

function lineOf({ msisdn, account, accountId, ...sender }: AssignedSender): string {
  const until = sender.quarantinedUntil?.toISOString();
  const state = until ? `quarantined until ${until}` : sender.inUse ? 'in use' : 'not in use';
  const origin = sender.assignedBy === 'operator' ? 'assigned' : 'added by the account';
  return `${msisdn}  ${account} (${accountId})  ${origin} ${sender.assignedAt.toISOString()}, ${state}`;
}

function toMsisdn(text: string): string {
  const msisdn = parseMsisdn(text);
  if (!msisdn) throw new Error(`${text} is no phone number: 7 to 15 digits with the country code.`);
  return msisdn;
}

async function accountOf(db: EntityManager, nameOrId: string): Promise<{ id: string; name: string }> {
  const [account, ...others] = await findAccountsNamed(db, nameOrId);
  if (!account) throw new Error(`There is no account "${nameOrId}".`);
  if (others.length > 0)
    throw new Error(
      `Several accounts are named "${nameOrId}". Name one by its id: ${[account, ...others].map(({ id }) => id).join(', ')}.`,
    );
  return account;
}
