import { ACCOUNT_ID } from '../docs/example-ids.ts';
import type { EndpointView, SystemView } from './system.view.ts';

export const SYSTEM: SystemView = {
  version: '0.1.0',
  node: 'v24.11.1',
  startedAt: '2026-11-20T09:00:00.000Z',
  postgres: {
    version: '18.1',
    startedAt: '2026-11-01T09:00:00.000Z',
    sizeBytes: 73_400_320,
    connections: 62,
    maxConnections: 200,
    oldestTransactionSeconds: 0,
    isReadOnly: false,
  },
  queues: {
    kind: 'redis',
    isReachable: true,
    version: '7.4.1',
    usedBytes: 4_194_304,
    maxBytes: null,
    mayEvict: false,
  },
  migrations: { applied: 44, last: 'PausedAccounts1796710100000', pending: [] },
  workers: [
    { fleet: 'sms', workers: 2 },
    { fleet: 'dlr', workers: 1 },
    { fleet: 'otp', workers: 1 },
    { fleet: 'chatapp', workers: 0 },
  ],
  tables: [{ name: 'message', rows: 120_000, bytes: 41_943_040, partitions: 0 }],
  settings: [
    { name: 'DATABASE_URL', value: 'postgres://127.0.0.1:5432/signalbox' },
    { name: 'SECRETS_KEY', value: null },
  ],
};

export const ENDPOINTS: EndpointView[] = [
  {
    webhookId: '019e6f0d-7b11-7c3a-9d20-1a2b3c4d5e6f',
    name: 'Orders',
    accountId: ACCOUNT_ID,
    accountName: 'Our company',
    origin: 'https://example.com',
    state: 'open',
    failures: 12,
    failingSince: '2026-11-20T22:58:10.000Z',
    nextProbeAt: '2026-11-20T23:12:00.000Z',
    disabledReason: null,
    backlog: 318,
    oldestDueAt: '2026-11-20T22:59:02.000Z',
  },
];
