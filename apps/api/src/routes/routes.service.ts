import { randomUUIDv7 } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { listGateways } from '@signalbox/database/gateways/gateways';
import { type RouteRow, findRoute, listAllRoutes, listRoutes } from '@signalbox/database/gateways/routes';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import { explainRoute } from '@signalbox/domain/routing/route-explain';
import { gatewaysOf } from '@signalbox/domain/routing/routing-rules';
import { readFitnesses } from '@signalbox/messaging/gateways/fitness';
import { type RoutingStore, toRoute } from '@signalbox/messaging/routing-config/routing-store';
import { EntityManager } from 'typeorm';
import type { Caller } from '../auth/caller.ts';
import { ApiError, invalidRequest } from '../errors/api-error.ts';
import { RoutingChanges } from '../gateways/routing-changes.ts';
import { changesNothing } from '../http/changes-nothing.ts';
import { Creations, type LiveCall } from '../http/creations.ts';
import { findOwn } from '../http/find-own.ts';
import type { ExplainQuery, RouteChange, RouteRequest } from './route.dto.ts';
import { type ExplanationView, type RouteView, explanationView, routeView } from './route.view.ts';

/** Between the priorities of ordered routes there is room for others. */
const PRIORITY_STEP = 10;

const SIMULATED = 'The channel has no gateway, so its simulator takes the message and sends nothing.';

/** Manages the routes of the installation. */
@Injectable()
export class RoutesService {
  constructor(
    private readonly db: EntityManager,
    private readonly creations: Creations,
    private readonly changes: RoutingChanges,
  ) {}

  /** @throws ApiError invalid_request, name_exists, limit_reached; those of `onceLive` */
  create(call: LiveCall<RouteRequest>): Promise<RouteView> {
    const made = { id: randomUUIDv7(), createdAt: new Date() };
    const fresh = { ...made, source: 'api', version: 1, updatedAt: made.createdAt } as const;
    const view = routeView({ ...toRoute(call.request), ...fresh });
    return this.creations.onceLive(call, view, (db) =>
      this.changes.within(db, (store) => store.createRoute(call.request, 'api', made)),
    );
  }

  /** Lists all routes in the order in which they are tried. */
  async list(): Promise<RouteView[]> {
    return (await listAllRoutes(this.db)).map(routeView);
  }

  /** @throws ApiError message_route_not_found */
  async get(id: string): Promise<RouteView> {
    return routeView(await findOwn(id, () => findRoute(this.db, id), 'message_route_not_found'));
  }

  /** @throws ApiError message_route_not_found, invalid_request, routing_undecided */
  async change(caller: Caller, id: string, change: RouteChange): Promise<RouteView> {
    if (changesNothing(change)) return this.get(id);
    return routeView(await this.changes.run(caller, (store) => store.changeRoute(findIn(store, id), change)));
  }

  /**
   * Sets the priorities of all routes, so that they are tried in this order.
   *
   * @throws ApiError invalid_request unless the names are those of all routes
   */
  async order(caller: Caller, names: readonly string[]): Promise<RouteView[]> {
    await this.changes.run(caller, async (store) => {
      requireAll(store, names);
      for (const [i, name] of names.entries()) {
        const row = store.findRoute({ name })!;
        const priority = (i + 1) * PRIORITY_STEP;
        if (row.priority !== priority) await store.changeRoute(row, { priority });
      }
    });
    return this.list();
  }

  /** @throws ApiError message_route_not_found, routing_undecided */
  async delete(caller: Caller, id: string): Promise<{ id: string }> {
    await this.changes.run(caller, (store) => store.deleteRoute(findIn(store, id)));
    return { id };
  }

  /** Explains the route that a message would take now. */
  async explain(ownAccountId: string, query: ExplainQuery): Promise<ExplanationView> {
    const { channel, type, sender = '', accountId = ownAccountId } = query;
    const gateways = (await listGateways(this.db)).filter((gateway) => gateway.channel === channel);
    const names = new Set(gateways.map(({ name }) => name));
    const rows = await listRoutes(this.db);
    const routes = rows.filter((route) => gatewaysOf(route).some((name) => names.has(name)));
    const recipient = parseMsisdn(query.recipient) ?? '';
    const message = { messageId: '', accountId: accountId.toLowerCase(), sender, recipient, type };
    const fitnesses = await readFitnesses(this.db, channel);
    const explained = explainRoute(routes, message, fitnesses, new Date());
    const reason = gateways.length === 0 ? SIMULATED : explained.reason;
    return explanationView({ ...explained, reason }, rows);
  }
}

function requireAll(store: RoutingStore, names: readonly string[]): void {
  const missing = store.listRoutes().filter(({ name }) => !names.includes(name));
  const unknown = names.filter((name) => !store.findRoute({ name }));
  if (missing.length === 0 && unknown.length === 0) return;
  const named = [...missing.map(({ name }) => name), ...unknown].slice(0, 10).join(', ');
  const message = `must be the names of all routes, and differ from them in: ${named}`;
  throw invalidRequest([{ field: 'names', rule: 'not_allowed_value', message }]);
}

function findIn(store: RoutingStore, id: string): RouteRow {
  const row = store.findRoute({ id });
  if (!row) throw new ApiError('message_route_not_found');
  return row;
}
