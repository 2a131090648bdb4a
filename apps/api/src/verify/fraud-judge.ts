import {
  type Conversion,
  type Suspicion,
  type Traffic,
  listConversions,
} from '@signalbox/database/verify/conversions';
import { isSuspect } from '@signalbox/domain/verify/fraud-guard';
import type { EntityManager } from 'typeorm';
import { ApiError } from '../errors/api-error.ts';
import type { Candidate } from './send-call.ts';
import { prefixOf } from './send-rules.ts';

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

/** Judges the traffic of calls, in one statement. Only suspect calls get a judgement. */
export async function judgeTraffic(
  db: EntityManager,
  candidates: Candidate[],
): Promise<Map<Candidate, Judgement>> {
  const guarded = candidates.filter(isGuarded);
  if (guarded.length === 0) return new Map();
  const found = await listConversions(db, guarded.flatMap(trafficOf));
  const conversions = new Map(found.map((conversion) => [keyOf(conversion), conversion]));
  const judgements = new Map<Candidate, Judgement>();
  for (const candidate of guarded) {
    const judgement = judge(candidate, conversions);
    if (judgement) judgements.set(candidate, judgement);
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

function judge(candidate: Candidate, conversions: ReadonlyMap<string, Conversion>): Judgement | undefined {
  const known = trafficOf(candidate).flatMap((traffic) => conversions.get(keyOf(traffic)) ?? []);
  const suspect = known.find((conversion) => isSuspect(conversion, candidate.policy));
  if (!suspect) return undefined;
  const { accountId, dimension, value, ended, verified } = suspect;
  const action = candidate.policy.fraudGuard === 'block' ? 'blocked' : 'flagged';
  return {
    suspicion: { accountId, dimension, value, action },
    reason: `${dimension} ${value}: ${verified} of ${ended} codes were verified in 24 hours`,
  };
}

function keyOf({ accountId, dimension, value }: Traffic): string {
  return `${accountId} ${dimension} ${value}`;
}
