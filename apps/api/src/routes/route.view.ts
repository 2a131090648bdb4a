import type { RouteRow } from '@signalbox/database/gateways/routes';
import type { RouteExplanation } from '@signalbox/domain/routing/route-explain';
import type { Route } from '@signalbox/domain/routing/route';

/** A route on the wire. */
export interface RouteView extends Omit<Route, 'id'> {
  id: string;
  name: string;
  enabled: boolean;
  /** `file` when GATEWAYS_FILE names it. */
  source: string;
  createdAt: string;
  updatedAt: string;
}

export function routeView(row: RouteRow): RouteView {
  const { id, name, priority, enabled, match, targets, fallbacks, policy, source } = row;
  return {
    id,
    name,
    priority,
    enabled,
    match,
    targets,
    fallbacks,
    policy,
    source,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

/** An explanation on the wire; routes carry their names. */
export interface ExplanationView extends Omit<RouteExplanation, 'routes' | 'gateways'> {
  gateways: string[];
  routes: (RouteExplanation['routes'][number] & { name: string })[];
}

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
