import { type EntityManager, In } from 'typeorm';
import { VerificationPolicy } from './verification-policy.entity.ts';

export type PolicySettings = Omit<VerificationPolicy, 'accountId' | 'updatedAt'>;

/**
 * The policy of an account that has set none. It bounds what an attacker can earn who requests codes to premium numbers
 * for a share of their price: by prefix and hour, by day, and by the share of codes that are verified.
 */
export const DEFAULT_POLICY: PolicySettings = {
  countries: null,
  maxSendsPerPrefixPerHour: 100,
  dailyCredits: 5_000,
  fraudGuard: 'block',
  minConversionPercent: 20,
  minSends: 50,
  guardAllowList: [],
};

/** Lists the policies of these accounts, as far as they have set one. */
export function listPolicies(db: EntityManager, accountIds: string[]): Promise<VerificationPolicy[]> {
  return db.findBy(VerificationPolicy, { accountId: In(accountIds) });
}

/**
 * Gets the policy of an account and locks it until the end of the transaction, so that a change is based on what was
 * read.
 */
export async function lockPolicy(db: EntityManager, accountId: string): Promise<PolicySettings> {
  await db
    .createQueryBuilder()
    .insert()
    .into(VerificationPolicy)
    .values({ ...DEFAULT_POLICY, accountId, updatedAt: () => 'now()' })
    .orIgnore()
    .execute();
  return db.findOneOrFail(VerificationPolicy, { where: { accountId }, lock: { mode: 'pessimistic_write' } });
}

export async function updatePolicy(
  db: EntityManager,
  accountId: string,
  settings: PolicySettings,
): Promise<void> {
  await db.update(VerificationPolicy, { accountId }, { ...settings, updatedAt: () => 'now()' });
}
