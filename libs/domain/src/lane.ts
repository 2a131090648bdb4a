import type { Channel } from './channel.ts';

/** SMS lanes, the `type` of a request, most urgent first. Each has its own queue: a promotion never delays a code. */
export const SMS_LANES = ['OTP', 'TRANS', 'PROMO'] as const;
export type SmsLane = (typeof SMS_LANES)[number];

/** Chat-app lanes: templates that carry a code, and all other messages. */
export const CHAT_LANES = ['CHAT_OTP', 'CHAT'] as const;
export type ChatLane = (typeof CHAT_LANES)[number];

export type Lane = SmsLane | ChatLane;

/** The lanes of each channel. */
export const LANES_OF = { sms: SMS_LANES, chatapp: CHAT_LANES } as const satisfies Record<
  Channel,
  readonly Lane[]
>;

export const LANES: readonly Lane[] = Object.values(LANES_OF).flat();

/**
 * Lanes of messages that carry a code: their texts are shown nowhere, opt-outs spare them, and their reports go
 * first.
 */
export const CODE_LANES: readonly Lane[] = ['OTP', 'CHAT_OTP'];
