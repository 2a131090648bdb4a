import { type EntityManager, In } from 'typeorm';
import { VerificationPolicy } from './verification-policy.entity.ts';

export type PolicySettings = Omit<VerificationPolicy, 'accountId' | 'updatedAt'>;

/** What holds for an account that has set nothing. */
export const DEFAULT_POLICY: PolicySettings = {
  countries: null,
  maxSendsPerPrefixPerHour: 100,
  dailyCredits: null,
  fraudGuard: 'monitor',
  minConversionPercent: 20,
  minSends: 50,
  guardAllowList: [],
};

/** The policies of those of these accounts that have set one. */
export function listPolicies(db: EntityManager, accountIds: string[]): Promise<VerificationPolicy[]> {
  return db.findBy(VerificationPolicy, { accountId: In(accountIds) });
}

/** The policy of an account, for one who is about to change it; two changes take turns. */
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
