import { keepLatest } from './keep-latest.ts';

const DAY_MS = 86_400_000;
/** Longest relative period that its digits can say: 63 weeks in GSM, kept below 99 days here. */
const MAX_RELATIVE_MS = 99 * DAY_MS;

/**
 * Formats `validity_period` (SMPP 3.4, section 7.1.1): `YYMMDDhhmmss000+` in UTC, or `0000DDhhmmss000R` from now.
 * Empty for a message without end. A message that has just expired gets one second.
 */
export function validityPeriod(
  expiresAt: Date | null,
  form: 'absolute' | 'relative' | 'none',
  now: Date,
): string {
  if (expiresAt === null || form === 'none') return '';
  const leftMs = Math.max(expiresAt.getTime() - now.getTime(), 1_000);
  if (form === 'absolute') return `${digitsOf(now.getTime() + leftMs)}000+`;
  const capped = Math.min(leftMs, MAX_RELATIVE_MS);
  const days = String(Math.floor(capped / DAY_MS)).padStart(2, '0');
  return `0000${days}${digitsOf(capped % DAY_MS).slice(6)}000R`;
}

/** `YYMMDDhhmmss` of a time in milliseconds. The messages of a send expire together. */
const digitsOf = keepLatest((at: number) => new Date(at).toISOString().replaceAll(/\D/g, '').slice(2, 14));
