import { FAN_OUT_CHUNK } from '@signalbox/domain/limits';
import type { Lane } from '@signalbox/domain/lane';

/** One queue per lane, so that a million-recipient promotion never delays a code. */
export const SMS_QUEUE = { OTP: 'sms-otp', TRANS: 'sms-trans', PROMO: 'sms-promo' } as const satisfies Record<
  Lane,
  string
>;

/** Submissions to fan out and submit, or to go on with. */
export interface SmsJob {
  submissionIds: string[];
  /** They are fanned out, and have messages to be taken up again. */
  again?: true;
}

/** The most messages the submissions of one job should fan out into at once. */
export const SMS_JOB_WEIGHT = FAN_OUT_CHUNK;
