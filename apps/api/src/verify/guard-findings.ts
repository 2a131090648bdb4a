import { type GuardedAccount, listSuspects } from '@signalbox/database/verify/conversions';
import {
  type CodeTraffic,
  type GuardThreshold,
  isSuspect,
  unexplained,
} from '@signalbox/domain/verify/fraud-guard';
import { CachedLookup } from '@signalbox/runtime/cached-lookup';
import type { EntityManager } from 'typeorm';

const FRESH_MS = 30_000;
const MAX_CACHED = 1_000;

/** The reasons why countries and keys of an account are suspect, by their `trafficKey`. */
export type Findings = ReadonlyMap<string, string>;

export type FindingsLookup = CachedLookup<GuardedAccount, Findings>;

/** Finds the suspect countries and keys of accounts, at most 30 seconds old. */
export function openFindings(db: EntityManager): FindingsLookup {
  const options = { freshMs: FRESH_MS, maxCached: MAX_CACHED, keyOf: accountKey };
  return new CachedLookup((accounts) => listFindings(db, accounts), options);
}

/** The findings that a batch of calls is decided by: each is read once, and kept until the batch is decided. */
export class BatchFindings {
  private readonly found = new Map<string, Findings>();

  constructor(private readonly lookup: FindingsLookup) {}

  /** The findings of an account; undefined when they must be read first. */
  get(account: GuardedAccount): Findings | undefined {
    return this.found.get(accountKey(account)) ?? this.lookup.peek(account)?.value;
  }

  /** Reads the findings of these accounts. Do not call it while rows are locked. */
  async read(accounts: GuardedAccount[]): Promise<void> {
    const read = async (account: GuardedAccount): Promise<void> => {
      this.found.set(accountKey(account), (await this.lookup.find(account)) ?? new Map());
    };
    await Promise.all(accounts.map(read));
  }
}

/**
 * Explains why traffic is suspect; undefined when it is not.
 *
 * @param suspects the suspect traffic of its account
 */
export function reasonOf(
  traffic: CodeTraffic,
  threshold: GuardThreshold,
  suspects: readonly CodeTraffic[],
): string | undefined {
  if (!isSuspect(traffic, threshold)) return undefined;
  const counts = unexplained(traffic, suspects);
  if (!isSuspect(counts, threshold)) return undefined;
  const rest = counts.ended < traffic.ended ? ', not counting suspect prefixes' : '';
  return `${counts.verified} of ${counts.ended} codes were verified in 24 hours${rest}`;
}

/** Names traffic within its account. */
export function trafficKey({ dimension, value }: Pick<CodeTraffic, 'dimension' | 'value'>): string {
  return `${dimension} ${value}`;
}

async function listFindings(db: EntityManager, accounts: GuardedAccount[]): Promise<Findings[]> {
  const suspects = Map.groupBy(await listSuspects(db, accounts), accountKey);
  return accounts.map((account) => findingsOf(account, suspects.get(accountKey(account)) ?? []));
}

function findingsOf(threshold: GuardThreshold, suspects: readonly CodeTraffic[]): Findings {
  const reasons = suspects
    .filter(({ dimension }) => dimension !== 'prefix')
    .map((traffic) => [trafficKey(traffic), reasonOf(traffic, threshold, suspects)] as const);
  return new Map(reasons.flatMap(([key, reason]) => (reason === undefined ? [] : [[key, reason]])));
}

/** A changed threshold gets new findings. */
function accountKey({ accountId, minSends, minConversionPercent }: GuardedAccount): string {
  return `${accountId} ${minSends} ${minConversionPercent}`;
}
