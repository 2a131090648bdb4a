/** SMS lanes, the `type` of a request. Each has its own queue: a promotion never delays a code. */
export const LANES = ['OTP', 'TRANS', 'PROMO'] as const;
export type Lane = (typeof LANES)[number];

/** Chat-app lanes: templates that carry a code, and all other messages. */
export const CHAT_LANES = ['CHAT_OTP', 'CHAT'] as const;
export type ChatLane = (typeof CHAT_LANES)[number];

export type AnyLane = Lane | ChatLane;
