import type { ApiKeyView, NewApiKeyView } from './api-key.view.ts';

/** Id of the key in the examples of /docs. */
export const KEY_ID = '0192f0c4-8c9a-7d3e-9b1c-2f6a5d7e8c94';

export const KEY_BODIES = {
  'For a server that sends': { name: 'Shop server', scopes: ['send'] },
  'A test key that expires': {
    name: 'Trial',
    scopes: ['send', 'verify'],
    test: true,
    expiresAt: '2099-12-31T00:00:00Z',
  },
};
export const KEY_CHANGES = { Rename: { name: 'Shop server, Europe' } };
export const ROTATIONS = { 'A day of overlap': {}, Immediately: { overlapHours: 0 } };

export const KEY: ApiKeyView = {
  id: KEY_ID,
  name: 'Shop server',
  prefix: 'sb_live_',
  last4: '7c1e',
  scopes: ['send'],
  status: 'active',
  createdBy: 'user:0192f0c4-8c9a-7d3e-9b1c-2f6a5d7e8c92',
  createdByName: 'Ana',
  createdAt: '2026-11-20T09:00:00.000Z',
  lastUsedAt: '2026-11-20T10:12:31.208Z',
  expiresAt: null,
  revokedAt: null,
  replacedBy: null,
};
export const NEW: NewApiKeyView = { ...KEY, lastUsedAt: null, key: 'sb_live_…7c1e' };

export const RENAMED = { ...KEY, name: 'Shop server, Europe' };
