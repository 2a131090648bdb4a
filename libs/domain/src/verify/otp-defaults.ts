import { DEFAULT_OTP_TEXT } from './otp-text.ts';

/** The settings of a configuration that does not give them. */
export const OTP_DEFAULTS = {
  stopOn: 'delivered',
  codeLength: 6,
  alphabet: 'numeric',
  ttlSeconds: 300,
  maxAttempts: 5,
  resendAfterSeconds: 30,
  maxSendsPer10Minutes: 3,
  maxSendsPerDay: 10,
  text: DEFAULT_OTP_TEXT,
} as const;
