/** Verifications whose code is to be made and sent. */
export const OTP_QUEUE = 'otp';

export interface OtpJob {
  verifyIds: string[];
}

/** The most verifications of one job. */
export const OTP_JOB_WEIGHT = 200;
