import { CONFIG_ID, VERIFY_ID } from '../docs/example-ids.ts';
import type { VerificationView } from './verification.view.ts';
import type { GuardView, StatsView } from './verify-insight.service.ts';

export const OTHER_VERIFY_ID = '019e6f0c-7b1d-7e52-9c3a-1f2e3d4c5b6b';

/** Bodies of POST /v1/verify. */
export const VERIFY_BODIES = {
  'Send a code': { configId: CONFIG_ID, to: '919812345678' },
  'With the alias of configId': { 'config-id': CONFIG_ID, to: '+919812345679' },
};

/** Bodies of POST /v1/verify/validate. */
export const VALIDATE_BODIES = {
  Digits: { verifyId: VERIFY_ID, otp: '482913' },
  'Letters and digits': { verifyId: OTHER_VERIFY_ID, otp: 'k7pxm2qa' },
};

export const VERIFICATION: VerificationView = {
  verifyId: VERIFY_ID,
  configId: CONFIG_ID,
  to: '919812345678',
  country: 'IN',
  status: 'Sent',
  attempts: 1,
  attemptsRemaining: 4,
  sends: 1,
  messages: [
    {
      messageId: '019e6f0c-7b2a-7d11-8a4e-6f1f0a6d2b11:1',
      channel: 'sms',
      status: 'Delivered',
      unconfirmed: false,
      errCode: '000',
    },
  ],
  steps: [
    {
      channel: 'sms',
      status: 'Sent',
      reason: null,
      dueAt: '2026-11-20T23:10:04.201Z',
      messageId: '019e6f0c-7b2a-7d11-8a4e-6f1f0a6d2b11:1',
    },
  ],
  isTest: false,
  guardReason: null,
  createdAt: '2026-11-20T23:10:04.180Z',
  sentAt: '2026-11-20T23:10:04.201Z',
  expiresAt: '2026-11-20T23:15:04.180Z',
  verifiedAt: null,
};

export const STATS: StatsView = {
  from: '2026-11-01',
  to: '2026-11-20',
  total: { sent: 1200, verified: 1044, conversion: 0.87, p50Seconds: 14, p95Seconds: 71 },
  groups: [{ day: '2026-11-20', sent: 64, verified: 57, conversion: 0.8906, p50Seconds: 13, p95Seconds: 66 }],
};

/** Bodies of PATCH /v1/verify/policy. */
export const POLICY_CHANGES = {
  'Two countries and a daily budget': { countries: ['IN', 'AE'], dailyCredits: 20_000 },
  'Block suspected fraud': {
    fraudGuard: 'block',
    minConversionPercent: 25,
    guardAllowList: ['91980000'],
  },
};

export const GUARD: GuardView[] = [
  {
    dimension: 'prefix',
    value: '88213000',
    ended: 60,
    verified: 1,
    conversion: 0.0167,
    suspect: true,
    reason: '1 of 60 codes were verified in 24 hours',
    flagged: 12,
    blocked: 0,
  },
];
