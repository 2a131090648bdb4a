import type { OutgoingSms } from '../src/sms-gateway.ts';
import type { SegmentedSms } from '../src/smpp/text/segmented-sms.ts';

export const SUBMISSION = '0192f0c4-8c9a-7d3e-9b1c-2f6a5d7e8c90';

/** Builds an SMS. */
export function sms(fields: Partial<OutgoingSms> = {}): OutgoingSms {
  return {
    messageId: `${SUBMISSION}:1`,
    accountId: '0192f0c4-0000-7d3e-9b1c-2f6a5d7e8c90',
    sender: 'ACME',
    recipient: '919812345678',
    attempt: 1,
    type: 'TRANS',
    text: 'Hello',
    encoding: 'GSM-7',
    segments: 1,
    messageClass: null,
    dlt: null,
    expiresAt: null,
    ...fields,
  };
}

/** Builds what the SMPP gateway makes segments of. */
export function segmentedSms(fields: Partial<SegmentedSms> = {}): SegmentedSms {
  return {
    messageId: '019e6f0d-1a77-7c3e-8f21-7b0a9c4d5e66:1',
    sender: 'SIGNAL',
    recipient: '919800000001',
    text: 'Hello',
    encoding: 'GSM-7',
    messageClass: null,
    dlt: null,
    expiresAt: null,
    type: 'TRANS',
    ...fields,
  };
}
