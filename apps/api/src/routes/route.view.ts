import type { RouteRow } from '@signalbox/database/gateways/routes';
import type { RouteExplanation } from '@signalbox/domain/routing/route-explain';
import { ROUTED_TYPES, type RouteMatch } from '@signalbox/domain/routing/route';
import { type Static, Type } from 'typebox';
import { FLAG, ID, MILLISECONDS, SHARE, TEXT, TIME, model, nullable, oneOf, show } from '../docs/model.ts';

const TEXTS = Type.Optional(Type.Array(TEXT));
const MATCH = Type.Unsafe<RouteMatch>(
  Type.Object({
    prefixes: TEXTS,
    countries: TEXTS,
    types: Type.Optional(Type.Array(oneOf(ROUTED_TYPES))),
    accounts: TEXTS,
    senders: TEXTS,
    hours: Type.Optional(Type.Object({ from: TEXT, to: TEXT, zone: TEXT })),
  }),
);

export const RouteView = model('Route', 'A rule by which messages get their gateway.', {
  id: ID,
  name: TEXT,
  priority: Type.Integer({ description: 'The lowest is first.' }),
  enabled: FLAG,
  match: MATCH,
  targets: Type.Array(
    Type.Object({ gateway: TEXT, weight: Type.Number({ minimum: 0 }), cost: nullable(Type.Number()) }),
  ),
  fallbacks: Type.Array(TEXT, { description: 'Gateways that take what the targets cannot, in order.' }),
  policy: Type.Object({ failoverAfterMs: MILLISECONDS, resendUnconfirmed: FLAG }),
  source: Type.String({ description: '`file` when GATEWAYS_FILE names it.' }),
  createdAt: TIME,
  updatedAt: TIME,
});
export type RouteView = Static<typeof RouteView>;

export function routeView(row: RouteRow): RouteView {
  return show(RouteView, row);
}

const ExplainedGatewayView = model('ExplainedGateway', 'A gateway of a route, and its condition.', {
  gateway: TEXT,
  role: oneOf(['target', 'fallback']),
  weight: nullable(Type.Number()),
  cost: nullable(Type.Number()),
  health: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'Accept rate times report success; 0 while it takes nothing.',
  }),
  acceptRate: SHARE,
  reportRate: SHARE,
  problem: nullable(
    TEXT,
    'Reason why it takes nothing now, only probes, or may not take what it gets; null when it is up and healthy.',
  ),
});

export const ExplanationView = model('RouteExplanation', 'The route of a message, and why.', {
  route: nullable(TEXT, 'Null when no route takes it, or there are none.'),
  gateways: Type.Array(TEXT, {
    description: 'The gateways to try, in order; empty while the message waits.',
  }),
  isProbe: FLAG,
  reason: Type.String({ description: 'One sentence.' }),
  routes: Type.Array(
    Type.Object({
      id: ID,
      name: TEXT,
      priority: Type.Integer(),
      isTaken: FLAG,
      passedOver: nullable(TEXT, 'Reason why it does not take the message; null for the route that does.'),
      gateways: Type.Array(ExplainedGatewayView),
    }),
  ),
});
export type ExplanationView = Static<typeof ExplanationView>;

export function explanationView(
  { routes, gateways, ...explanation }: RouteExplanation,
  rows: readonly RouteRow[],
): ExplanationView {
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return {
    ...explanation,
    gateways: [...gateways],
    routes: routes.map((route) => ({ name: names.get(route.id) ?? '', ...route })),
  };
}
