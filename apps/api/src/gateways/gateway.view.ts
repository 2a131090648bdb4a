import type { GatewayRow, WorkerView } from '@signalbox/database/gateways/gateways';
import type { IdRule } from '@signalbox/database/gateways/id-rules';
import { describeIdForm } from '@signalbox/domain/routing/id-forms';
import type { GatewayKind } from '@signalbox/gateways/gateway-kind';
import { findGatewayKind } from '@signalbox/gateways/registry';
import { type WholeState, wholeState } from './whole-state.ts';

/** The form in which a gateway reports the ids that it answered. */
interface IdRuleView {
  form: string;
  description: string;
  /** Reports that agreed when it was learned. */
  hits: number;
  learnedAt: string;
}

/** A gateway on the wire. Credentials are never shown. */
export interface GatewayView {
  id: string;
  name: string;
  channel: string;
  kind: string;
  settings: object;
  /** The credentials of the kind, and whether each is set. */
  secrets: Record<string, boolean>;
  ratePerSecond: number | null;
  enabled: boolean;
  paused: boolean;
  /** `file` when GATEWAYS_FILE names it. */
  source: string;
  state: WholeState;
  /** The address that the vendor calls; null when the gateway does not report by callback. */
  callbackUrl: string | null;
  /** Null while none is learned. */
  idRule: IdRuleView | null;
  createdAt: string;
  updatedAt: string;
}

/** The parts of a view that other rows tell. */
export interface GatewayFacts {
  /** Names of the credentials that are set. */
  secretNames: readonly string[];
  views: readonly WorkerView[];
  rule: IdRule | undefined;
  callbackUrl: string | null;
}

export function gatewayView(row: GatewayRow, facts: GatewayFacts): GatewayView {
  const { id, name, channel, kind, settings, ratePerSecond, enabled, paused, source } = row;
  return {
    id,
    name,
    channel,
    kind,
    settings: settings as object,
    secrets: secretsView(findGatewayKind(kind), facts.secretNames),
    ratePerSecond,
    enabled,
    paused,
    source,
    state: wholeState(row, facts.views),
    callbackUrl: facts.callbackUrl,
    idRule: facts.rule ? idRuleView(facts.rule) : null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

function secretsView(kind: GatewayKind | undefined, set: readonly string[]): Record<string, boolean> {
  return Object.fromEntries((kind?.secrets ?? []).map(({ name }) => [name, set.includes(name)]));
}

function idRuleView({ form, hits, learnedAt }: IdRule): IdRuleView {
  return { form, description: describeIdForm(form), hits, learnedAt: learnedAt.toISOString() };
}

/** The view that one worker has of a gateway, on the wire. */
interface WorkerStateView {
  workerId: string;
  status: string;
  reason: string;
  since: string;
  detail: object;
  seenAt: string;
}

/** The state of a gateway on the wire, with the view of each worker. */
export interface GatewayStateView extends WholeState {
  name: string;
  workers: WorkerStateView[];
}

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
