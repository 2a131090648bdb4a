import { type EntityManager, In, IsNull, LessThan } from 'typeorm';
import { VerificationConfig } from './verification-config.entity.ts';

/** What an account may set and change of a configuration. */
export type ConfigSettings = Omit<
  VerificationConfig,
  'id' | 'accountId' | 'createdAt' | 'updatedAt' | 'deletedAt'
>;

export type NewVerificationConfig = ConfigSettings &
  Pick<VerificationConfig, 'id' | 'accountId' | 'createdAt'>;

const NAME_INDEX = 'verification_config_name';

/** Stores a configuration; false when the account has one of that name already. */
export async function insertConfig(db: EntityManager, config: NewVerificationConfig): Promise<boolean> {
  const { raw } = await db
    .createQueryBuilder()
    .insert()
    .into(VerificationConfig)
    .values({ ...config, updatedAt: config.createdAt, deletedAt: null })
    .orIgnore()
    .returning('id')
    .execute();
  return (raw as unknown[]).length > 0;
}

/** One configuration of an account; undefined when there is none, whoever else may have it. */
export async function findConfig(
  db: EntityManager,
  accountId: string,
  id: string,
): Promise<VerificationConfig | undefined> {
  return (await db.findOneBy(VerificationConfig, { id, accountId, deletedAt: IsNull() })) ?? undefined;
}

/** The same, held until the end of the transaction, so that what is changed is what was read. */
export async function lockConfig(
  db: EntityManager,
  accountId: string,
  id: string,
): Promise<VerificationConfig | undefined> {
  const where = { id, accountId, deletedAt: IsNull() };
  return (await db.findOne(VerificationConfig, { where, lock: { mode: 'pessimistic_write' } })) ?? undefined;
}

/** Those of these configurations that can be used now, of whatever accounts. */
export function listUsableConfigs(db: EntityManager, ids: string[]): Promise<VerificationConfig[]> {
  return db.findBy(VerificationConfig, { id: In(ids), enabled: true, deletedAt: IsNull() });
}

/** A page of an account's configurations, newest first, from just before the id `before`. */
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
): Promise<boolean> {
  try {
    await db.update(
      VerificationConfig,
      { id, accountId, deletedAt: IsNull() },
      { ...settings, updatedAt: () => 'now()' },
    );
    return true;
  } catch (error) {
    if ((error as { constraint?: string }).constraint === NAME_INDEX) return false;
    throw error;
  }
}

/** Takes a configuration away: no code is sent by it any more, and its name is free. False when there is none. */
export async function deleteConfig(db: EntityManager, accountId: string, id: string): Promise<boolean> {
  const { affected } = await db.update(
    VerificationConfig,
    { id, accountId, deletedAt: IsNull() },
    { deletedAt: () => 'now()', testNumbers: [] },
  );
  return affected === 1;
}
