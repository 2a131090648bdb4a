import type { OutgoingSms } from '../../sms-gateway.ts';

/** The fields of an SMS that its segments are made of. */
export type SegmentedSms = Pick<
  OutgoingSms,
  'messageId' | 'sender' | 'recipient' | 'text' | 'encoding' | 'messageClass' | 'dlt' | 'expiresAt' | 'type'
>;
