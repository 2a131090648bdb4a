/** Threshold at which the fraud guard suspects traffic. */
export interface GuardThreshold {
  /** Minimum share of verified codes, in percent. */
  minConversionPercent: number;
  /** Minimum number of ended codes before traffic is judged. */
  minSends: number;
}

/** True if too few codes were verified: an attacker may request them for a share of the SMS fees. */
export function isSuspect(
  { ended, verified }: { ended: number; verified: number },
  threshold: GuardThreshold,
): boolean {
  return ended >= threshold.minSends && verified * 100 < threshold.minConversionPercent * ended;
}
