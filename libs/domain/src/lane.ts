/** The SMS lanes, separate queues all the way: a promotion never delays a code. They are the wire's `type` words (spec 4.8). */
export const LANES = ['OTP', 'TRANS', 'PROMO'] as const;
export type Lane = (typeof LANES)[number];
