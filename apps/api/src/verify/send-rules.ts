import type { AttemptHistory } from '@signalbox/database/verify/attempts';
import type { Quota } from '@signalbox/database/verify/quotas';
import type { VerificationConfig } from '@signalbox/database/verify/verification-config.entity';
import type { NumberState, PastSend } from '@signalbox/database/verify/verifications';
import { isObjectOrList } from '@signalbox/domain/is-object';
import {
  DAY_MS,
  DAY_OF_UTC,
  type QuotaWindow,
  SLIDING_HOUR,
  type SendLimits,
  lockWaitMs,
  numberWaitMs,
  quotaWaitMs,
  sendWaitMs,
  addUse,
} from '@signalbox/domain/verify/limits';
import { prefixOf } from '@signalbox/domain/verify/numbers';
import { stepCredits } from '@signalbox/domain/verify/otp-flow';
import { ApiError, invalidRequest } from '../errors/api-error.ts';
import type { Candidate } from './send-call.ts';

/** True while the number is a test number of the configuration. */
export function isTestNumber(config: VerificationConfig, recipient: string, now: number): boolean {
  return config.testNumbers.some(({ number, until }) => number === recipient && Date.parse(until) > now);
}

/** True for a configuration whose JSON has the form that the API stores. */
export function isSound({ testNumbers, flow, template }: VerificationConfig): boolean {
  const areLists = [testNumbers, flow].every(
    (list: unknown) => Array.isArray(list) && list.every(isObjectOrList),
  );
  return areLists && (template === null || isObjectOrList(template));
}

/** The refusal of calls with a configuration that is not sound. */
export function damaged({ id }: VerificationConfig): ApiError {
  const cause = new Error(`the stored configuration ${id} is damaged`);
  return new ApiError('internal_error', undefined, { cause });
}

/** The refusal of a number that may get no code at all. */
export function refusalByNumber({ call, isTest, policy }: Candidate): ApiError | undefined {
  if (isTest && !call.caller.isTest)
    return invalidRequest([
      {
        field: 'to',
        rule: 'test_number',
        message: 'is a test number, which only a key that begins with sb_test_ can use',
      },
    ]);
  if (isTest || policy.countries === null || policy.countries.includes(call.country)) return undefined;
  return new ApiError(
    'country_not_allowed',
    `The account sends no codes to numbers of this country (${call.country}).`,
  );
}

/** The refusal of a number that reached its limit of wrong codes or of sends. */
export function refusalByHistory({ config, isTest }: Candidate, number: NumberHistory): ApiError | undefined {
  if (isTest) return undefined;
  const lockedMs = lockWaitMs(number.wrongAt, number.now);
  if (lockedMs > 0) return numberLocked(lockedMs);
  const waitMs = nextCodeWaitMs(config.id, config, number);
  return waitMs > 0 ? sendLimit('Too many codes were sent to this number', waitMs) : undefined;
}

/** The refusal of a code that is not compared any more: it says when the number may get a new one. */
export function refusalOfAttempt(outcome: 'locked' | 'spent', history: AttemptHistory | null): ApiError {
  if (history === null) return new ApiError('otp_attempts_exceeded');
  if (outcome === 'locked') return numberLocked(lockWaitMs(history.wrongAt, history.now));
  const waitMs = nextCodeWaitMs(history.configId, history.limits, history);
  return new ApiError('otp_attempts_exceeded', undefined, { retryAfterSeconds: waitMs / 1000 });
}

type NumberHistory = Pick<NumberState, 'sends' | 'wrongAt' | 'now'>;

/** Computes the time until a number that is not locked may get a code of a configuration; 0 if it may get one now. */
function nextCodeWaitMs(configId: string, limits: SendLimits | null, { sends, now }: NumberHistory): number {
  const counting = sends.filter(({ isTest }) => !isTest);
  const ofConfig = counting.filter((send) => send.configId === configId);
  return Math.max(
    limits ? sendWaitMs(limits, ofConfig.map(timeOf), now) : 0,
    numberWaitMs(counting.map(timeOf), now),
  );
}

const timeOf = ({ at }: PastSend): number => at;

/** The refusal of a number that reached its daily limit of wrong codes. */
function numberLocked(waitMs: number): ApiError {
  const seconds = waitMs / 1000;
  const message = `Too many wrong codes were tried for this number in 24 hours; it is locked for ${Math.ceil(seconds)} s.`;
  return new ApiError('otp_attempts_exceeded', message, { retryAfterSeconds: seconds });
}

function sendLimit(what: string, waitMs: number): ApiError {
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  return new ApiError('otp_send_limit', `${what}; try again in ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
  });
}

/** An amount to charge to one quota of an account. */
interface Charge {
  quota: string;
  amount: number;
  limit: number;
  window: QuotaWindow;
  /** Reported when the quota is used up. */
  message: string;
}

/** The charges of a call, should it be served. */
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
    // Charges every step, needed or not: a fallback must not fail for lack of credits.
    const amount = config.flow.reduce((sum, { channel }) => sum + stepCredits(config, channel), 0);
    charges.push({ quota: 'credits', amount, limit: dailyCredits, window: DAY_OF_UTC, message });
  }
  return charges;
}

/** A charge, and the quota that it is charged to. */
export interface PlacedCharge {
  charge: Charge;
  quota: Quota;
}

/** The refusal of a call that exceeds one of its quotas. */
export function refusalByQuota(charges: readonly PlacedCharge[], now: number): ApiError | undefined {
  for (const { charge, quota } of charges) {
    const waitMs = quotaWaitMs(quota.uses, charge.window, charge.amount, charge.limit, now);
    if (waitMs > 0) return sendLimit(charge.message, waitMs);
  }
  return undefined;
}

/** A quota after a charge. */
export function chargedQuota({ charge, quota }: PlacedCharge, now: number): Quota {
  return { ...quota, uses: addUse(quota.uses, charge.window, charge.amount, now) };
}

/** The latest verification that the configuration sent to a number; a new send replaces it. */
export function replacedBy({ config }: Candidate, { sends }: NumberState): string | null {
  return sends.findLast(({ configId }) => configId === config.id)?.verifyId ?? null;
}

/**
 * A number after a send. Of the sends to a test number, which no limit counts, only the last of each configuration is
 * kept.
 */
export function withSend({ call, config, isTest }: Candidate, number: NumberState): NumberState {
  const { sends, now } = number;
  const isDropped = (send: PastSend): boolean =>
    isTest && send.isTest === true && send.configId === config.id;
  const kept = sends.filter((send) => send.at > now - DAY_MS && !isDropped(send));
  const sent = { at: now, configId: config.id, verifyId: call.id };
  return { ...number, sends: [...kept, isTest ? { ...sent, isTest } : sent] };
}
