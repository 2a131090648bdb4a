import { ACCOUNT_ID } from '../docs/example-ids.ts';
import type { AccountView } from './account.view.ts';

/** Bodies of POST /v1/accounts. */
export const ACCOUNT_BODIES = {
  'An account': { name: 'Our company' },
  'With limits': { name: 'Our shop', smsPerSecond: 50, limits: { webhooks: 200 } },
};

/** Bodies of PATCH /v1/accounts/{id}. */
export const ACCOUNT_CHANGES = {
  Suspend: { status: 'suspended' },
  'Set limits': { smsPerSecond: 50, limits: { webhooks: 200, mediaBytes: null } },
};

export const ACCOUNT: AccountView = {
  id: ACCOUNT_ID,
  name: 'Our company',
  status: 'active',
  pausedAt: null,
  smsPerSecond: 50,
  limits: [{ name: 'webhooks', max: 200, isDefault: false }],
  keys: 2,
  users: 3,
  createdAt: '2026-11-20T09:00:00.000Z',
};

export const ACCOUNT_CREATED: AccountView = { ...ACCOUNT, keys: 0, users: 0 };

export const ACCOUNT_PAUSED: AccountView = { ...ACCOUNT, pausedAt: '2026-11-20T23:10:05.000Z' };
