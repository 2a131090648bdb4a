import { oldSecretsUntil } from '@signalbox/database/core/old-secrets';
import type { GatewayRow, WorkerView } from '@signalbox/database/gateways/gateways';
import type { IdRule } from '@signalbox/database/gateways/id-rules';
import { CHANNELS } from '@signalbox/domain/channel';
import { describeIdForm } from '@signalbox/domain/routing/id-forms';
import type { GatewayCounts } from '@signalbox/domain/routing/gateway-health';
import type { GatewayKind } from '@signalbox/gateways/gateway-kind';
import { findGatewayKind } from '@signalbox/gateways/registry';
import { type Static, Type } from 'typebox';
import { COUNT, FLAG, ID, TEXT, TIME, model, nullable, oneOf, show } from '../docs/model.ts';
import { WHOLE_STATUSES, wholeState } from '@signalbox/messaging/gateways/whole-state';

const IdRuleView = model('IdRule', 'The form in which a gateway reports the ids that it returned.', {
  form: TEXT,
  description: TEXT,
  hits: Type.Integer({ minimum: 0, description: 'Reports that agreed when it was learned.' }),
  learnedAt: TIME,
});

const SINCE = nullable(TIME, 'The time since which it is so; null when no worker decides.');

export const GatewayView = model('Gateway', 'A gateway. Credentials are never shown.', {
  id: ID,
  name: TEXT,
  channel: oneOf(CHANNELS),
  kind: TEXT,
  settings: Type.Unsafe<object>({ type: 'object', description: 'The settings of the kind.' }),
  secrets: Type.Record(Type.String(), FLAG, {
    description: 'The credentials of the kind, and whether each is set.',
  }),
  oldSecretsUntil: nullable(
    TIME,
    'Callbacks by replaced credentials are accepted, too, until then; null without such credentials.',
  ),
  ratePerSecond: nullable(Type.Integer()),
  enabled: FLAG,
  paused: FLAG,
  source: Type.String({ description: '`file` when GATEWAYS_FILE names it.' }),
  state: Type.Object({ status: oneOf(WHOLE_STATUSES), reason: TEXT, since: SINCE }),
  lastHour: Type.Object(
    { accepted: COUNT, refused: COUNT, delivered: COUNT, failed: COUNT },
    { description: 'Submits and final reports of the last hour.' },
  ),
  callbackUrl: nullable(
    TEXT,
    'The address that the vendor calls; null when the gateway does not report by callback.',
  ),
  idRule: nullable(IdRuleView, 'Null while none is learned.'),
  createdAt: TIME,
  updatedAt: TIME,
});
export type GatewayView = Static<typeof GatewayView>;

/** The parts of a view that come from other rows. */
export interface GatewayFacts {
  /** Names of the credentials that are set. */
  secretNames: readonly string[];
  views: readonly WorkerView[];
  rule: IdRule | undefined;
  counts: GatewayCounts;
  callbackUrl: string | null;
}

export function gatewayView(row: GatewayRow, facts: GatewayFacts): GatewayView {
  return show(GatewayView, {
    ...row,
    settings: row.settings as object,
    secrets: secretsView(findGatewayKind(row.kind), facts.secretNames),
    oldSecretsUntil: oldSecretsUntil(row.oldSecrets),
    state: wholeState(row, facts.views),
    lastHour: lastHour(facts.counts),
    callbackUrl: facts.callbackUrl,
    idRule: facts.rule ? idRuleView(facts.rule) : null,
  });
}

function lastHour({ accepted, refused, delivered, failed }: GatewayCounts): GatewayView['lastHour'] {
  return { accepted, refused, delivered, failed };
}

function secretsView(kind: GatewayKind | undefined, set: readonly string[]): Record<string, boolean> {
  return Object.fromEntries((kind?.secrets ?? []).map(({ name }) => [name, set.includes(name)]));
}

function idRuleView({ form, hits, learnedAt }: IdRule): Static<typeof IdRuleView> {
  return { form, description: describeIdForm(form), hits, learnedAt: learnedAt.toISOString() };
}

const WorkerStateView = model('GatewayWorkerState', 'The view that one worker has of a gateway.', {
  workerId: TEXT,
  status: TEXT,
  reason: TEXT,
  since: TIME,
  detail: Type.Unsafe<object>({ type: 'object', description: 'Figures of the kind.' }),
  seenAt: TIME,
});

export const GatewayStateView = model(
  'GatewayState',
  'The state of a gateway, with the view of each worker.',
  {
    name: TEXT,
    status: oneOf(WHOLE_STATUSES),
    reason: Type.String({ description: 'One sentence.' }),
    since: SINCE,
    workers: Type.Array(WorkerStateView),
  },
);
export type GatewayStateView = Static<typeof GatewayStateView>;

export function gatewayStateView(row: GatewayRow, views: readonly WorkerView[]): GatewayStateView {
  return {
    name: row.name,
    ...wholeState(row, views),
    workers: views.map(({ workerId, status, reason, since, detail, seenAt }) => ({
      workerId,
      status,
      reason,
      detail,
      since: since.toISOString(),
      seenAt: seenAt.toISOString(),
    })),
  };
}
