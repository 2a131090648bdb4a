import {
  type Conversion,
  type Suspicion,
  type Traffic,
  listConversions,
} from '@signalbox/database/verify/conversions';
import { isSuspect } from '@signalbox/domain/verify/fraud-guard';
import type { EntityManager } from 'typeorm';
import { ApiError } from '../errors/api-error.ts';
import { type Candidate, prefixOf } from './send-rules.ts';

/** What the fraud guard has to say about one call. */
export interface Judgement {
  suspicion: Suspicion;
  /** For a person: `prefix 91980000: 3 of 60 codes were verified in 24 hours`. */
  reason: string;
}

/** The refusal of a call that the guard blocks. */
export function blocked({ reason }: Judgement): ApiError {
  return new ApiError('verification_blocked', `The fraud guard blocks this: ${reason}.`);
}

/** Looks at the traffic that calls belong to, in one statement; those that look good have no judgement. */
export async function judgeTraffic(
  db: EntityManager,
  candidates: Candidate[],
): Promise<Map<Candidate, Judgement>> {
  const guarded = candidates.filter(isGuarded);
  if (guarded.length === 0) return new Map();
  const conversions = new Map(
    (await listConversions(db, guarded.flatMap(trafficOf))).map((each) => [nameOf(each), each]),
  );
  return new Map(
    guarded.flatMap((candidate) => {
      const judgement = judge(candidate, conversions);
      return judgement ? [[candidate, judgement]] : [];
    }),
  );
}

function isGuarded({ call, isTest, policy }: Candidate): boolean {
  return (
    !isTest &&
    policy.fraudGuard !== 'off' &&
    !policy.guardAllowList.some((beginning) => call.recipient.startsWith(beginning))
  );
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
  const known = trafficOf(candidate).flatMap((traffic) => conversions.get(nameOf(traffic)) ?? []);
  const worst = known.find((conversion) => isSuspect(conversion, candidate.policy));
  if (!worst) return undefined;
  const { accountId, dimension, value, ended, verified } = worst;
  const action = candidate.policy.fraudGuard === 'block' ? 'blocked' : 'flagged';
  return {
    suspicion: { accountId, dimension, value, action },
    reason: `${dimension} ${value}: ${verified} of ${ended} codes were verified in 24 hours`,
  };
}

function nameOf({ accountId, dimension, value }: Traffic): string {
  return `${accountId} ${dimension} ${value}`;
}
