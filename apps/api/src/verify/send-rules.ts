import type { VerificationConfig } from '@signalbox/database/verify/verification-config.entity';
import type { PolicySettings } from '@signalbox/database/verify/policies';
import type { Quota } from '@signalbox/database/verify/quotas';
import type { NumberState, PastSend } from '@signalbox/database/verify/verifications';
import { stepCredits } from '@signalbox/domain/verify/otp-flow';
import {
  DAY_MS,
  DAY_OF_UTC,
  type QuotaWindow,
  SLIDING_HOUR,
  lockWaitMs,
  quotaWaitMs,
  sendWaitMs,
  withUse,
} from '@signalbox/domain/verify/limits';
import { ApiError, invalidRequest } from '../errors/api-error.ts';
import type { SendCall } from './send-round.ts';

/** A call that names a configuration of its account. */
export interface Candidate {
  call: SendCall;
  config: VerificationConfig;
  policy: PolicySettings;
  /** To a test number: it costs nothing, so that no limit holds for it. */
  isTest: boolean;
}

/** A number's sends are kept as long as any limit can ask for them. */
const MAX_SENDS_KEPT = 200;

/** Whether the number is one of the configuration's test numbers now. */
export function isTestNumber(config: VerificationConfig, recipient: string, now: number): boolean {
  return config.testNumbers.some(({ number, until }) => number === recipient && Date.parse(until) > now);
}

/** Why a code may not go to this number at all, if so. */
export function refusalByNumber({ call, isTest, policy }: Candidate): ApiError | undefined {
  if (isTest && !call.caller.isTest)
    return invalidRequest([
      { field: 'to', rule: 'test_number', message: 'is a test number, which an sb_test_ key can use only' },
    ]);
  if (isTest || policy.countries === null || policy.countries.includes(call.country)) return undefined;
  return new ApiError(
    'country_not_allowed',
    `The account sends no codes to numbers of this country (${call.country}).`,
  );
}

/** Why no code may go to this number now, if so: it has had its wrong codes of the day, or its codes. */
export function refusalByHistory(
  { config, isTest }: Candidate,
  { sends, wrongAt, now }: NumberState,
): ApiError | undefined {
  if (isTest) return undefined;
  const lockedMs = lockWaitMs(wrongAt, now);
  if (lockedMs > 0) return numberLocked(lockedMs / 1000);
  const sentAt = sends.filter(({ configId }) => configId === config.id).map(({ at }) => at);
  const waitMs = sendWaitMs(config, sentAt, now);
  return waitMs > 0 ? sendLimit('Too many codes were sent to this number', waitMs) : undefined;
}

/** The answer about a number that has had all its wrong codes of a day. */
export function numberLocked(seconds: number): ApiError {
  const message = `Too many wrong codes were tried for this number in 24 hours; it is locked for ${Math.ceil(seconds)} s.`;
  return new ApiError('otp_attempts_exceeded', message, { retryAfterSeconds: seconds });
}

function sendLimit(what: string, waitMs: number): ApiError {
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  return new ApiError('otp_send_limit', `${what}; try again in ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
  });
}

/** What a code takes of an account's quotas. */
export interface Charge {
  quota: string;
  amount: number;
  limit: number;
  window: QuotaWindow;
  message: string;
}

/** What a call takes of its account's quotas, should it be served. */
export function chargesOf({ call, config, policy, isTest }: Candidate): Charge[] {
  if (isTest) return [];
  const charges: Charge[] = [];
  const { maxSendsPerPrefixPerHour, dailyCredits } = policy;
  if (maxSendsPerPrefixPerHour !== null) {
    const message = 'Too many codes were sent to numbers like this one';
    charges.push({
      quota: `prefix ${prefixOf(call.recipient)}`,
      amount: 1,
      limit: maxSendsPerPrefixPerHour,
      window: SLIDING_HOUR,
      message,
    });
  }
  if (dailyCredits !== null) {
    const message = 'The credits that codes of this account may cost in a day are used up';
    // Of all steps, whether they will be needed or not: a fallback must not fail for want of credits.
    const amount = config.flow.reduce((sum, { channel }) => sum + stepCredits(config, channel), 0);
    charges.push({ quota: 'credits', amount, limit: dailyCredits, window: DAY_OF_UTC, message });
  }
  return charges;
}

/** A number without its last four digits. */
export function prefixOf(recipient: string): string {
  return recipient.slice(0, -4);
}

/** Charges quotas, all or none; the error says which has not enough left. */
export function charge(
  charges: readonly Charge[],
  quotaOf: (charge: Charge) => Quota,
  now: number,
): ApiError | undefined {
  for (const each of charges) {
    const waitMs = quotaWaitMs(quotaOf(each).uses, each.window, each.amount, each.limit, now);
    if (waitMs > 0) return sendLimit(each.message, waitMs);
  }
  for (const each of charges) {
    const quota = quotaOf(each);
    quota.uses = withUse(quota.uses, each.window, each.amount, now);
  }
  return undefined;
}

/** Adds a send to what is known of its number. @returns the verification that it takes the place of, if there was one before */
export function recordSend({ call, config }: Candidate, number: NumberState): string | null {
  const isRecent = ({ at }: PastSend): boolean => at > number.now - DAY_MS;
  const replaced = number.sends.findLast(({ configId }) => configId === config.id)?.verifyId ?? null;
  const send = { at: number.now, configId: config.id, verifyId: call.id };
  number.sends = [...number.sends.filter(isRecent), send].slice(-MAX_SENDS_KEPT);
  return replaced;
}
