/** When the fraud guard thinks ill of traffic. */
export interface GuardThreshold {
  /** Below this share of codes that were verified, in percent. */
  minConversionPercent: number;
  /** From so many codes on. */
  minSends: number;
}

/** Whether so few of these codes were verified that somebody may be sending them for the money of the SMS. */
export function isSuspect(
  { ended, verified }: { ended: number; verified: number },
  threshold: GuardThreshold,
): boolean {
  return ended >= threshold.minSends && verified * 100 < threshold.minConversionPercent * ended;
}
