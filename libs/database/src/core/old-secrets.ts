/** A secret that was replaced. */
export interface OldSecret {
  /** As in the column of the newest, in base64. */
  sealed: string;
  /** ISO 8601; from then on it is not used. */
  until: string;
}

/**
 * Maximum number of replaced secrets that are kept: a rotation beyond them drops the oldest. Each one of a webhook adds a
 * signature to a header of limited length.
 */
const MAX_OLD_SECRETS = 4;

/** Returns the replaced secrets that are still valid, the newest first. */
export function liveSecrets(oldSecrets: readonly OldSecret[], now: Date): OldSecret[] {
  return oldSecrets.length === 0 ? [] : oldSecrets.filter(({ until }) => until > now.toISOString());
}

/** Returns the replaced secrets after a rotation: the replaced one for `overlapMs`, and older ones until their time. */
export function replacedSecrets(
  sealed: Buffer,
  oldSecrets: readonly OldSecret[],
  now: Date,
  overlapMs: number,
): OldSecret[] {
  const until = new Date(now.getTime() + overlapMs).toISOString();
  return [{ sealed: sealed.toString('base64'), until }, ...liveSecrets(oldSecrets, now)].slice(
    0,
    MAX_OLD_SECRETS,
  );
}

/** Returns the time at which the last replaced secret ends; null without one that is still valid. */
export function oldSecretsUntil(oldSecrets: readonly OldSecret[]): string | null {
  const ends = liveSecrets(oldSecrets, new Date()).map(({ until }) => until);
  return ends.toSorted().at(-1) ?? null;
}
