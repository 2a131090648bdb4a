import { expect, test } from '@jest/globals';
import { waitOf } from './status.ts';

const PENDING = {
  recipient: '919800000001',
  channel: 'sms',
  type: 'OTP',
  unconfirmed: false,
  parked: false,
  heldUntil: null,
  sendAt: null,
};

test.each([
  [{ heldUntil: '2126-11-20T10:00:00.000Z' }, 'It is held until 2126-11-20T10:00:00.000Z.'],
  [{ sendAt: '2126-11-20T10:00:00.000Z' }, 'It is scheduled for 2126-11-20T10:00:00.000Z.'],
  [{ parked: true }, 'an operator frees or discards it'],
  [{ unconfirmed: true }, 'its report settles it'],
  [{ waitsFor: 'No gateway takes it now: a is down.' }, 'No gateway takes it now: a is down.'],
  [{ sendAt: '2026-01-01T00:00:00.000Z' }, 'No gateway has taken it so far.'],
  [{}, 'GET /v1/routes/explain?recipient=919800000001&channel=sms&type=OTP explains its route'],
  [{ channel: 'chatapp', type: 'TRANS' }, '?recipient=919800000001&channel=chatapp explains'],
])('a pending message with %j says what it waits for', (fields, words) => {
  expect(waitOf({ ...PENDING, ...fields })).toContain(words);
});
