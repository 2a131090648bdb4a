/** Verifications whose code is to be made and sent. */
export const OTP_QUEUE = 'otp';
