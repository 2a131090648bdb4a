import { BREAKER_STATES, type Breaker } from '@signalbox/database/webhooks/breakers';
import { COUNTED_ROWS } from '@signalbox/domain/limits';
import { type Static, Type } from 'typebox';
import { COUNT, FLAG, ID, TEXT, TIME, model, nullable, oneOf } from '../docs/model.ts';

const BYTES = Type.Integer({ minimum: 0 });

export const SystemView = model('System', 'The state of the installation.', {
  version: TEXT,
  node: TEXT,
  startedAt: Type.String({ format: 'date-time', description: 'When this api process started.' }),
  postgres: Type.Object({
    version: TEXT,
    startedAt: TIME,
    sizeBytes: BYTES,
    connections: COUNT,
    maxConnections: COUNT,
    oldestTransactionSeconds: nullable(COUNT, 'Null without a transaction.'),
    isReadOnly: FLAG,
  }),
  queues: Type.Object({
    kind: oneOf(['redis', 'postgres']),
    isReachable: FLAG,
    version: nullable(TEXT, 'Of Redis; null for queues on Postgres, and while it is unreachable.'),
    usedBytes: nullable(BYTES),
    maxBytes: nullable(BYTES, 'Null without a limit.'),
    mayEvict: nullable(FLAG, 'True when Redis may evict jobs: set `maxmemory-policy noeviction`.'),
  }),
  migrations: Type.Object({ applied: COUNT, last: nullable(TEXT), pending: Type.Array(TEXT) }),
  workers: Type.Array(Type.Object({ fleet: TEXT, workers: COUNT }), {
    description: 'Live processes of each kind of worker; 0 for one of which none runs.',
  }),
  tables: Type.Array(
    Type.Object({
      name: TEXT,
      rows: nullable(Type.Number({ minimum: 0 }), 'As the planner estimates.'),
      bytes: BYTES,
      partitions: COUNT,
    }),
    { description: 'The largest first.' },
  ),
  settings: Type.Array(Type.Object({ name: TEXT, value: nullable(TEXT, 'Null for a secret that is set.') }), {
    description: 'Settings of this api process; secrets are not shown.',
  }),
});
export type SystemView = Static<typeof SystemView>;

export const EndpointView = model(
  'TroubledEndpoint',
  'An endpoint whose last call failed, or that is not called.',
  {
    webhookId: ID,
    name: TEXT,
    accountId: ID,
    accountName: TEXT,
    origin: Type.String({ description: 'Scheme, host and port of its address.' }),
    state: oneOf(
      BREAKER_STATES,
      '`open`: not called; `half_open`: one probe may be made; `failing`: its last call failed; `disabled`.',
    ),
    failures: Type.Integer({ minimum: 0, description: 'Failures since the last success.' }),
    failingSince: nullable(TIME),
    nextProbeAt: nullable(TIME, 'Null unless the breaker is open.'),
    disabledReason: nullable(TEXT),
    backlog: Type.Integer({
      minimum: 0,
      maximum: COUNTED_ROWS,
      description: 'Pushes that wait, counted up to 10,000.',
    }),
    oldestDueAt: nullable(TIME, 'When the first of them is due; null without one.'),
  },
);
export type EndpointView = Static<typeof EndpointView>;

export function endpointView({ id, endpoint, ...breaker }: Breaker): EndpointView {
  const { failingSince, nextProbeAt, oldestDueAt } = breaker;
  return {
    ...breaker,
    webhookId: id,
    origin: URL.parse(endpoint)?.origin ?? '',
    failingSince: failingSince?.toISOString() ?? null,
    nextProbeAt: nextProbeAt?.toISOString() ?? null,
    oldestDueAt: oldestDueAt?.toISOString() ?? null,
  };
}
