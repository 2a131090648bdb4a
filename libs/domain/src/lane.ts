/** The SMS lanes, separate queues all the way: a promotion never delays a code. They are the wire's `type` words (spec 4.8). */
export const LANES = ['OTP', 'TRANS', 'PROMO'] as const;
export type Lane = (typeof LANES)[number];

/** The lanes of chat-app messages: templates that carry a code, and all others. */
export const CHAT_LANES = ['CHAT_OTP', 'CHAT'] as const;
export type ChatLane = (typeof CHAT_LANES)[number];

export type AnyLane = Lane | ChatLane;
