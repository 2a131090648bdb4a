import {
  type Conversion,
  type GuardedAccount,
  type Suspicion,
  type Traffic,
  listConversions,
} from '@signalbox/database/verify/conversions';
import { isSuspect } from '@signalbox/domain/verify/fraud-guard';
import { prefixOf } from '@signalbox/domain/verify/numbers';
import type { EntityManager } from 'typeorm';
import { ApiError } from '../errors/api-error.ts';
import { type BatchFindings, type Findings, reasonOf, trafficKey } from './guard-findings.ts';
import type { Candidate } from './send-call.ts';

/** Thrown when a country or a key seems suspect, and the findings of its account are not read. */
export class FindingsMissing extends Error {
  override readonly name = 'FindingsMissing';

  constructor(readonly accounts: GuardedAccount[]) {
    super('the findings of the fraud guard are not read');
  }
}

/** The fraud guard's verdict on a suspect call. */
export interface Judgement {
  suspicion: Suspicion;
  /** Readable text, such as `prefix 91980000: 3 of 60 codes were verified in 24 hours`. */
  reason: string;
}

/** The refusal of a call that the guard blocks. */
export function blocked({ reason }: Judgement): ApiError {
  return new ApiError('verification_blocked', `The fraud guard blocks this: ${reason}.`);
}

/**
 * Judges the traffic of calls, in one statement. Only suspect calls get a judgement.
 *
 * @throws FindingsMissing naming all accounts whose findings must be read first
 */
export async function judgeTraffic(
  db: EntityManager,
  candidates: Candidate[],
  findings: BatchFindings,
): Promise<Map<Candidate, Judgement>> {
  const guarded = candidates.filter(isGuarded);
  if (guarded.length === 0) return new Map();
  const found = await listConversions(db, guarded.flatMap(trafficOf));
  const conversions = new Map(found.map((conversion) => [keyOf(conversion), conversion]));
  const known = guarded.map((candidate) => ({
    candidate,
    suspects: trafficOf(candidate)
      .flatMap((each) => conversions.get(keyOf(each)) ?? [])
      .filter((conversion) => isSuspect(conversion, candidate.policy)),
  }));
  const missing = known
    .filter(needsFindings)
    .map(accountOf)
    .filter((account) => findings.get(account) === undefined);
  if (missing.length > 0) throw new FindingsMissing(missing);
  const judgements = new Map<Candidate, Judgement>();
  for (const each of known) {
    const judgement = judge(each, findings.get(accountOf(each)));
    if (judgement) judgements.set(each.candidate, judgement);
  }
  return judgements;
}

function isGuarded({ call, isTest, policy }: Candidate): boolean {
  if (isTest || policy.fraudGuard === 'off') return false;
  return !policy.guardAllowList.some((prefix) => call.recipient.startsWith(prefix));
}

function trafficOf({ call: { caller, recipient, country } }: Candidate): Traffic[] {
  const { accountId, keyId } = caller;
  return [
    { accountId, dimension: 'prefix', value: prefixOf(recipient) },
    { accountId, dimension: 'country', value: country },
    { accountId, dimension: 'key', value: keyId },
  ];
}

/** A candidate, and which of its prefix, country and key seem suspect, in this order. */
interface KnownTraffic {
  candidate: Candidate;
  suspects: Conversion[];
}

/** True when the country or the key seems suspect, and the prefix does not. */
function needsFindings({ suspects: [first] }: KnownTraffic): boolean {
  return first !== undefined && first.dimension !== 'prefix';
}

function accountOf({ candidate: { call, policy } }: KnownTraffic): GuardedAccount {
  const { minSends, minConversionPercent } = policy;
  return { accountId: call.caller.accountId, minSends, minConversionPercent };
}

function judge(
  { candidate: { policy }, suspects }: KnownTraffic,
  findings: Findings | undefined,
): Judgement | undefined {
  const action = policy.fraudGuard === 'block' ? 'blocked' : 'flagged';
  for (const traffic of suspects) {
    const { accountId, dimension, value } = traffic;
    const reason =
      dimension === 'prefix' ? reasonOf(traffic, policy, []) : findings?.get(trafficKey(traffic));
    if (reason !== undefined)
      return {
        suspicion: { accountId, dimension, value, action },
        reason: `${dimension} ${value}: ${reason}`,
      };
  }
  return undefined;
}

function keyOf(traffic: Traffic): string {
  return `${traffic.accountId} ${trafficKey(traffic)}`;
}
