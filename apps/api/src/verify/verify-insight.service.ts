import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import {
  type Conversion,
  type GuardedTraffic,
  listGuardedTraffic,
  listSuspects,
} from '@signalbox/database/verify/conversions';
import {
  DEFAULT_POLICY,
  type PolicySettings,
  listPolicies,
  lockPolicy,
  updatePolicy,
} from '@signalbox/database/verify/policies';
import { type CodeStat, listStats } from '@signalbox/database/verify/stats';
import { findVerification } from '@signalbox/database/verify/verifications';
import { type Static, Type } from 'typebox';
import { EntityManager } from 'typeorm';
import type { Caller } from '../auth/caller.ts';
import { withAuditAsLiveCaller } from '../auth/live-caller.ts';
import { SEARCHES } from '../core.module.ts';
import { COUNT, DAY, FLAG, ID, SHARE, TEXT, model, nullable, oneOf, show } from '../docs/model.ts';
import { ApiError } from '../errors/api-error.ts';
import { changesNothing } from '../http/changes-nothing.ts';
import { findOwn } from '../http/find-own.ts';
import { UUID } from '../http/uuid.ts';
import { reasonOf } from './guard-findings.ts';
import { type VerificationView, verificationView } from './verification.view.ts';
import type { PolicyChange, StatsQuery } from './verify-insight.dto.ts';

/** Maximum number of entries that the guard shows. */
const MAX_GUARDED = 200;

const StatView = model('CodeStats', 'Numbers of sent and verified codes.', {
  day: Type.Optional(DAY),
  configId: Type.Optional(ID),
  country: Type.Optional(TEXT),
  sent: Type.Integer({ minimum: 0, description: 'Codes that were generated and whose message was stored.' }),
  verified: COUNT,
  conversion: nullable(SHARE, 'Share of verified codes; null when none was sent.'),
  p50Seconds: nullable(
    Type.Number(),
    'Time from the request to the right code: from 100 s on rounded up to two digits.',
  ),
  p95Seconds: nullable(Type.Number()),
});
type StatView = Static<typeof StatView>;

export const StatsView = model('VerifyStats', 'Statistics of codes over some days.', {
  from: DAY,
  to: DAY,
  total: StatView,
  groups: Type.Array(StatView),
});
export type StatsView = Static<typeof StatsView>;

export const GuardView = model(
  'GuardedTraffic',
  'Traffic of the last 24 hours, as the fraud guard judges it.',
  {
    dimension: TEXT,
    value: TEXT,
    ended: COUNT,
    verified: COUNT,
    conversion: nullable(SHARE),
    suspect: FLAG,
    reason: nullable(TEXT),
    flagged: COUNT,
    blocked: COUNT,
  },
);
export type GuardView = Static<typeof GuardView>;

export const PolicyView = model('VerifyPolicy', "An account's policy for one-time passwords.", {
  countries: nullable(Type.Array(TEXT), 'Countries that codes may be sent to; null for all.'),
  maxSendsPerPrefixPerHour: nullable(Type.Integer()),
  dailyCredits: nullable(Type.Integer()),
  fraudGuard: oneOf(['off', 'monitor', 'block']),
  minConversionPercent: Type.Integer(),
  minSends: Type.Integer(),
  guardAllowList: Type.Array(TEXT),
});

/** Shows verifications and their statistics, and manages an account's verification policy. */
@Injectable()
export class VerifyInsightService {
  constructor(
    private readonly db: EntityManager,
    @InjectEntityManager(SEARCHES) private readonly searches: EntityManager,
  ) {}

  /** @throws ApiError verification_not_found, also for another tenant's */
  async get(accountId: string, verifyId: string): Promise<VerificationView> {
    const find = () => findVerification(this.db, accountId, verifyId);
    return verificationView(await findOwn(verifyId, find, 'verification_not_found'));
  }

  /** @throws ApiError verification_config_not_found for a malformed id */
  async stats(
    accountId: string,
    { from = '', to = '', by, configId, country }: StatsQuery,
  ): Promise<StatsView> {
    if (configId !== undefined && !UUID.test(configId)) throw new ApiError('verification_config_not_found');
    const filter = { accountId, from, to, configId: configId ?? null, country: country ?? null };
    const { total, groups } = await listStats(this.searches, filter, by);
    const field = by === 'config' ? 'configId' : by;
    return {
      from,
      to,
      total: statView(total),
      groups: groups.map((each) => ({ [field]: each.group, ...statView(each) })),
    };
  }

  async policy(accountId: string): Promise<PolicySettings> {
    const [policy = DEFAULT_POLICY] = await listPolicies(this.db, [accountId]);
    return show(PolicyView, policy);
  }

  /**
   * Changes the account's policy. Omitted settings keep their values. Takes effect with the next call.
   *
   * @throws ApiError those of `requireLiveCaller`
   */
  changePolicy(caller: Caller, change: PolicyChange): Promise<PolicySettings> {
    const { accountId } = caller;
    if (changesNothing(change)) return this.policy(accountId);
    return withAuditAsLiveCaller(this.db, caller, async (transaction) => {
      const before = show(PolicyView, await lockPolicy(transaction, accountId));
      const given = Object.entries(change).filter(([name, value]) => value !== undefined && name in before);
      const policy = { ...before, ...Object.fromEntries(given) };
      await updatePolicy(transaction, accountId, policy);
      return policy;
    });
  }

  /** The traffic that the guard judges, worst conversion first. */
  async guard(accountId: string): Promise<GuardView[]> {
    const policy = await this.policy(accountId);
    const traffic = await listGuardedTraffic(this.searches, accountId, policy.minSends, MAX_GUARDED);
    const suspects = await listSuspects(this.searches, [{ ...policy, accountId }]);
    return traffic.map((each) => guardView(each, policy, suspects));
  }
}

function statView({ sent, verified, p50Seconds, p95Seconds }: CodeStat): StatView {
  return { sent, verified, conversion: share(verified, sent), p50Seconds, p95Seconds };
}

function guardView(
  traffic: GuardedTraffic,
  policy: PolicySettings,
  suspects: readonly Conversion[],
): GuardView {
  const conversion = share(traffic.verified, traffic.ended);
  const reason = reasonOf(traffic, policy, suspects) ?? null;
  return show(GuardView, { ...traffic, conversion, suspect: reason !== null, reason });
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;
}
