import {
  type Conversion,
  type Suspicion,
  type Traffic,
  listBusyPrefixes,
  listConversions,
} from '@signalbox/database/verify/conversions';
import type { PolicySettings } from '@signalbox/database/verify/policies';
import { type CodeTraffic, isSuspect, unexplained } from '@signalbox/domain/verify/fraud-guard';
import { prefixOf } from '@signalbox/domain/verify/numbers';
import type { EntityManager } from 'typeorm';
import { ApiError } from '../errors/api-error.ts';
import type { Candidate } from './send-call.ts';

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
 * Judges the traffic of calls, in one statement, and in a second one when a country or a key seems suspect. Only suspect
 * calls get a judgement.
 */
export async function judgeTraffic(
  db: EntityManager,
  candidates: Candidate[],
): Promise<Map<Candidate, Judgement>> {
  const guarded = candidates.filter(isGuarded);
  if (guarded.length === 0) return new Map();
  const found = await listConversions(db, guarded.flatMap(trafficOf));
  const conversions = new Map(found.map((conversion) => [keyOf(conversion), conversion]));
  const known = guarded.map((candidate) => ({
    candidate,
    traffic: trafficOf(candidate).flatMap((each) => conversions.get(keyOf(each)) ?? []),
  }));
  const seeming = known
    .filter(needsPrefixes)
    .map(({ candidate: { call, policy } }) => [call.caller.accountId, policy] as const);
  const prefixes = await listSuspectPrefixes(db, new Map(seeming));
  const judgements = new Map<Candidate, Judgement>();
  for (const { candidate, traffic } of known) {
    const judgement = judge(candidate, traffic, prefixes.get(candidate.call.caller.accountId) ?? []);
    if (judgement) judgements.set(candidate, judgement);
  }
  return judgements;
}

/** Lists the prefixes that the policies of accounts find suspect, by account. */
export async function listSuspectPrefixes(
  db: EntityManager,
  policies: ReadonlyMap<string, PolicySettings>,
): Promise<Map<string, Conversion[]>> {
  if (policies.size === 0) return new Map();
  const accounts = Array.from(policies, ([accountId, { minSends }]) => ({ accountId, minSends }));
  const suspect = (await listBusyPrefixes(db, accounts)).filter((prefix) =>
    isSuspect(prefix, policies.get(prefix.accountId)!),
  );
  return Map.groupBy(suspect, ({ accountId }) => accountId);
}

/**
 * Explains why traffic is suspect; undefined when it is not.
 *
 * @param prefixes the suspect prefixes of its account
 */
export function reasonOf(
  traffic: CodeTraffic,
  policy: PolicySettings,
  prefixes: readonly CodeTraffic[],
): string | undefined {
  const counts = unexplained(traffic, prefixes);
  if (!isSuspect(counts, policy)) return undefined;
  const rest = counts.ended < traffic.ended ? ', not counting suspect prefixes' : '';
  return `${counts.verified} of ${counts.ended} codes were verified in 24 hours${rest}`;
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

/** A candidate, and what is known of its prefix, country and key, in this order. */
interface KnownTraffic {
  candidate: Candidate;
  traffic: Conversion[];
}

/** True when the country or the key seems suspect, and the prefix does not. */
function needsPrefixes({ candidate: { policy }, traffic }: KnownTraffic): boolean {
  const suspect = traffic.find((conversion) => isSuspect(conversion, policy));
  return suspect !== undefined && suspect.dimension !== 'prefix';
}

function judge(
  { policy }: Candidate,
  known: readonly Conversion[],
  prefixes: readonly Conversion[],
): Judgement | undefined {
  const action = policy.fraudGuard === 'block' ? 'blocked' : 'flagged';
  for (const traffic of known) {
    const { accountId, dimension, value } = traffic;
    const reason = reasonOf(traffic, policy, prefixes);
    if (reason !== undefined)
      return {
        suspicion: { accountId, dimension, value, action },
        reason: `${dimension} ${value}: ${reason}`,
      };
  }
  return undefined;
}

function keyOf({ accountId, dimension, value }: Traffic): string {
  return `${accountId} ${dimension} ${value}`;
}
