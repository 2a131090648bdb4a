import { type EntityManager, In, IsNull, LessThan } from 'typeorm';
import { orNameExists } from '../core/unique-name.ts';
import { VerificationConfig } from './verification-config.entity.ts';

/** The settings of a configuration that a request may change. */
export type ConfigSettings = Omit<
  VerificationConfig,
  'id' | 'accountId' | 'createdAt' | 'updatedAt' | 'deletedAt'
>;

export type NewVerificationConfig = ConfigSettings &
  Pick<VerificationConfig, 'id' | 'accountId' | 'createdAt'>;

const NAME_INDEX = 'verification_config_name';

/** Inserts a configuration; false when the account has one of that name. */
export async function insertConfig(db: EntityManager, config: NewVerificationConfig): Promise<boolean> {
  const insert = db.insert(VerificationConfig, { ...config, updatedAt: config.createdAt });
  return (await orNameExists(NAME_INDEX, insert)) !== 'name_exists';
}

/** Finds one configuration of an account. */
export async function findConfig(
  db: EntityManager,
  accountId: string,
  id: string,
): Promise<VerificationConfig | undefined> {
  return (await db.findOneBy(VerificationConfig, { id, accountId, deletedAt: IsNull() })) ?? undefined;
}

/**
 * Finds one configuration of an account and locks it until the end of the transaction, so that no concurrent change is
 * lost.
 */
export async function lockConfig(
  db: EntityManager,
  accountId: string,
  id: string,
): Promise<VerificationConfig | undefined> {
  const where = { id, accountId, deletedAt: IsNull() };
  return (await db.findOne(VerificationConfig, { where, lock: { mode: 'pessimistic_write' } })) ?? undefined;
}

/** Lists the enabled ones of these configurations, of any account. */
export function listUsableConfigs(db: EntityManager, ids: string[]): Promise<VerificationConfig[]> {
  return db.findBy(VerificationConfig, { id: In(ids), enabled: true, deletedAt: IsNull() });
}

/** Lists a page of an account's configurations, newest first, before the id `before`. */
export function listConfigs(
  db: EntityManager,
  accountId: string,
  limit: number,
  before?: string,
): Promise<VerificationConfig[]> {
  const where = { accountId, deletedAt: IsNull(), ...(before && { id: LessThan(before) }) };
  return db.find(VerificationConfig, { where, order: { id: 'DESC' }, take: limit });
}

/** Changes a configuration; false when the account has another one of that name. */
export async function updateConfig(
  db: EntityManager,
  accountId: string,
  id: string,
  settings: ConfigSettings,
  updatedAt: Date,
): Promise<boolean> {
  const where = { id, accountId, deletedAt: IsNull() };
  const update = db.update(VerificationConfig, where, { ...settings, updatedAt });
  return (await orNameExists(NAME_INDEX, update)) !== 'name_exists';
}

/** Deletes a configuration: no code is sent by it any more, and its name is free. False when there is none. */
export async function deleteConfig(db: EntityManager, accountId: string, id: string): Promise<boolean> {
  const { affected } = await db.update(
    VerificationConfig,
    { id, accountId, deletedAt: IsNull() },
    { deletedAt: () => 'now()', testNumbers: [] },
  );
  return affected === 1;
}
