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
import { type Command, UsageError, databaseUrl } from './command.ts';

export const senders: Command = {
  forms: [
    'assign <number> <account name or id>',
    'release <number> [--remove-sender]',
    'list [account name or id]',
  ],
  details:
    'A released number belongs to nobody. --remove-sender also takes it from an account that sends from it.',
  async run(args) {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { 'remove-sender': { type: 'boolean', default: false } },
    });
    return inTransaction(databaseUrl(), 'signalbox-cli', (db) =>
      act(db, positionals, values['remove-sender']),
    );
  },
};

async function act(db: EntityManager, [form, ...rest]: string[], removesSender: boolean): Promise<string> {
  const [first, second] = rest;
  if (form === 'list' && rest.length <= 1) return list(db, first);
  if (form === 'release' && first && rest.length === 1) return release(db, toMsisdn(first), removesSender);
  if (form === 'assign' && first && second && rest.length === 2) return assign(db, toMsisdn(first), second);
  throw new UsageError('senders takes one of three forms.');
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
  if (!account) throw new Error(`There is no account "${nameOrId}". Create it with create-account.`);
  if (others.length > 0)
    throw new Error(
      `Several accounts are named "${nameOrId}". Name one by its id: ${[account, ...others].map(({ id }) => id).join(', ')}.`,
    );
  return account;
}
