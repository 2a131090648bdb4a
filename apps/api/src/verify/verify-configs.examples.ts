import { CONFIG_ID } from '../docs/example-ids.ts';
import type { VerifyConfigView } from './verify-config.view.ts';

/** Bodies of POST /v1/verify/configs, shown by /docs. */
export const CONFIG_BODIES = {
  'Six digits by SMS': { name: 'login', sender: 'SIGNALBX' },
  'Letters and digits, filled in by the browser': {
    name: 'payment',
    sender: 'SIGNALBX',
    codeLength: 8,
    alphabet: 'alphanumeric',
    ttlSeconds: 120,
    text: 'Your payment code is {{code}}.',
    webOtpDomain: 'example.com',
    testNumbers: [{ number: '919800000199', code: '424242', until: '2030-01-01T00:00:00Z' }],
  },
  'Chat app first, SMS after 30 seconds without delivery': {
    name: 'signup',
    channel: 'chatapp',
    template: { name: 'login_code', language: 'en', from: '15550100001' },
    fallback: 'sms',
    sender: 'SIGNALBX',
  },
  'As a flow that stops when the code is verified': {
    name: 'transfer',
    flow: [
      { channel: 'chatapp', afterSeconds: 0 },
      { channel: 'sms', afterSeconds: 20 },
    ],
    stopOn: 'verified',
    template: { name: 'login_code', from: '15550100001' },
    sender: 'SIGNALBX',
  },
};

/** Bodies of PATCH /v1/verify/configs/{id}. */
export const CONFIG_CHANGES = {
  'Shorter lifetime, fewer attempts': { ttlSeconds: 120, maxAttempts: 3 },
  'Remove the last line': { webOtpDomain: null },
  'SMS only': { channel: 'sms' },
  'SMS fallback after a minute': { fallback: { channel: 'sms', afterSeconds: 60 } },
};

export const CONFIG: VerifyConfigView = {
  id: CONFIG_ID,
  name: 'login',
  enabled: true,
  channel: 'sms',
  flow: [{ channel: 'sms', afterSeconds: 0 }],
  stopOn: 'delivered',
  template: null,
  codeLength: 6,
  alphabet: 'numeric',
  ttlSeconds: 300,
  maxAttempts: 5,
  resendAfterSeconds: 30,
  maxSendsPer10Minutes: 3,
  maxSendsPerDay: 10,
  sender: 'SIGNALBX',
  text: '{{code}} is your verification code. It expires in {{minutes}} minutes. Do not share it.',
  webOtpDomain: null,
  androidHash: null,
  testNumbers: [],
  createdAt: '2026-11-20T23:02:11.512Z',
  updatedAt: '2026-11-20T23:02:11.512Z',
};
