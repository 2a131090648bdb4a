import { codeCountryOf } from './numbers.ts';

/** Threshold at which the fraud guard suspects traffic. */
export interface GuardThreshold {
  /** Minimum share of verified codes, in percent. */
  minConversionPercent: number;
  /** Minimum number of ended codes before traffic is judged. */
  minSends: number;
}

/** The outcome of some codes. */
export interface CodeCounts {
  ended: number;
  verified: number;
}

/** The dimensions of the fraud guard: numbers that differ in their last four digits only, countries, API keys. */
export type GuardDimension = 'prefix' | 'country' | 'key';

/** Codes of a prefix, a country or a key. */
export interface CodeTraffic extends CodeCounts {
  dimension: GuardDimension;
  value: string;
}

/** True if too few codes were verified: an attacker may request them for a share of the SMS fees. */
export function isSuspect({ ended, verified }: CodeCounts, threshold: GuardThreshold): boolean {
  return ended >= threshold.minSends && verified * 100 < threshold.minConversionPercent * ended;
}

/**
 * Subtracts the codes of suspect prefixes of the account from those of a country or a key: they are refused by their
 * prefix, and one attacked prefix must not refuse the codes of everybody. An account with several keys counts a suspect
 * prefix for each of them.
 *
 * @param suspects suspect traffic of the account
 */
export function unexplained(traffic: CodeTraffic, suspects: readonly CodeTraffic[]): CodeCounts {
  if (traffic.dimension === 'prefix') return traffic;
  const explaining = suspects.filter((suspect) => explains(suspect, traffic));
  const sum = (pick: (counts: CodeCounts) => number): number =>
    Math.max(
      0,
      explaining.reduce((rest, prefix) => rest - pick(prefix), pick(traffic)),
    );
  return { ended: sum(({ ended }) => ended), verified: sum(({ verified }) => verified) };
}

function explains(suspect: CodeTraffic, { dimension, value }: CodeTraffic): boolean {
  if (suspect.dimension !== 'prefix') return false;
  return dimension === 'key' || codeCountryOf(suspect.value) === value;
}
