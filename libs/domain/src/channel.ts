/** Kinds of messages, each with its own gateways and lanes. */
export const CHANNELS = ['sms', 'chatapp'] as const;
export type Channel = (typeof CHANNELS)[number];
