import { randomUUIDv7 } from 'node:crypto';
import { hashApiKey, newApiKey } from '@signalbox/domain/api-key';
import { DEMO } from '@signalbox/domain/demo';
import { SCOPES, type Scope } from '@signalbox/domain/scope';
import type { EntityManager } from 'typeorm';
import { inTransaction } from '../core/in-transaction.ts';
import { Account } from './account.entity.ts';
import { ApiKey } from './api-key.entity.ts';
import { lockAccountNames } from './operation.ts';
import { nextChatAccountId } from '../chat/accounts.ts';
import { ChatAccount, ChatSender, SenderAssignment } from '../chat/chat-account.entity.ts';

const DEMO_SENDER = '15550100001';

/** Inserts the demo account with this key, a chat account and a sender, as far as they are missing. */
export async function seedDemo(databaseUrl: string, apiKey: string): Promise<void> {
  await inTransaction(databaseUrl, 'signalbox-seed', async (db) => {
    const account = await accountNamed(db, DEMO.account);
    if (!(await db.existsBy(ApiKey, { hash: hashApiKey(apiKey) }))) await insertKey(db, account.id, apiKey);
    if (await db.existsBy(ChatSender, { msisdn: DEMO_SENDER })) return;
    const chatAccountId = await nextChatAccountId(db);
    await db.insert(ChatAccount, { id: chatAccountId, accountId: account.id, name: DEMO.account });
    await db.insert(ChatSender, { msisdn: DEMO_SENDER, chatAccountId, accountId: account.id });
    const assignment = { msisdn: DEMO_SENDER, accountId: account.id, assignedBy: 'operator' as const };
    await db.upsert(SenderAssignment, { ...assignment, quarantinedUntil: null }, ['msisdn']);
  });
}

/**
 * Inserts an API key for the account of this name, and the account if it is missing. The key has every scope and no end
 * by default. Returns the key. Only its hash is stored.
 */
export async function createAccountKey(
  databaseUrl: string,
  accountName: string,
  kind: 'live' | 'test',
  options: KeyOptions = {},
): Promise<string> {
  const key = newApiKey(kind);
  await inTransaction(databaseUrl, 'signalbox-seed', async (db) =>
    insertKey(db, (await accountNamed(db, accountName)).id, key, options),
  );
  return key;
}

/** Inserts an account, unless one has the name. @returns its id */
export function createAccount(databaseUrl: string, name: string): Promise<string> {
  return inTransaction(databaseUrl, 'signalbox-cli', async (db) => (await accountNamed(db, name)).id);
}

/** Properties of a key that a tool creates. */
interface KeyOptions {
  name?: string;
  scopes?: Scope[];
  expiresAt?: Date;
}

async function accountNamed(db: EntityManager, name: string): Promise<{ id: string }> {
  await lockAccountNames(db);
  const known = await db.findOneBy(Account, { name });
  if (known) return known;
  const account = { id: randomUUIDv7(), name, status: 'active' as const };
  await db.insert(Account, account);
  return account;
}

async function insertKey(
  db: EntityManager,
  accountId: string,
  key: string,
  { name = 'first key', scopes = [...SCOPES], expiresAt }: KeyOptions = {},
): Promise<void> {
  await db.insert(ApiKey, {
    id: randomUUIDv7(),
    accountId,
    name,
    hash: hashApiKey(key),
    prefix: key.slice(0, 8),
    last4: key.slice(-4),
    scopes,
    ...(expiresAt && { expiresAt }),
  });
}
