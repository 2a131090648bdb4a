import { randomUUIDv7 } from 'node:crypto';
import type { NewSubmission } from '@signalbox/database/submissions/submissions';

/** A submission as the API would make it, to one recipient by default. */
export function newSubmission(given: Partial<NewSubmission> = {}): NewSubmission {
  return {
    id: randomUUIDv7(),
    accountId: randomUUIDv7(),
    channel: 'sms',
    kind: 'text',
    lane: 'TRANS',
    sender: 'SIGNALBX',
    content: { text: 'Hello', unicode: false, flash: false },
    sealed: null,
    recipients: ['919800000100'],
    custom: null,
    credits: 1,
    creditsEach: null,
    campaign: null,
    clientRef: null,
    sendAt: null,
    expiresAt: null,
    ratePerSecond: null,
    waits: false,
    idempotency: null,
    ...given,
  };
}
