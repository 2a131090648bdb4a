import { randomUUIDv7 } from 'node:crypto';
import type { EntityManager } from '@signalbox/database/core/in-transaction';
import { listUnknownAccounts } from '@signalbox/database/accounts/accounts';
import { type OldSecret, replacedSecrets } from '@signalbox/database/core/old-secrets';
import {
  type GatewayRow,
  deleteGateway,
  insertGateway,
  listGateways,
  updateGateway,
} from '@signalbox/database/gateways/gateways';
import {
  type RouteRow,
  deleteRoute,
  insertRoute,
  listAllRoutes,
  lockRouting,
  updateRoute,
} from '@signalbox/database/gateways/routes';
import { DEFAULT_ROUTE_POLICY } from '@signalbox/domain/routing/route';
import { checkRoute, gatewaysOf, undecidedChannel } from '@signalbox/domain/routing/routing-rules';
import { gatewayRow } from '@signalbox/domain/sealed-rows';
import { type Violation, violation } from '@signalbox/domain/violation';
import { findGatewayKind } from '@signalbox/gateways/registry';
import type { Sealer } from '@signalbox/runtime/seal';
import {
  type GivenGateway,
  changedContent,
  checkChange,
  checkGateway,
  withoutNulls,
} from './gateway-checks.ts';
import { openGatewaySecrets } from './gateway-secrets.ts';
import { RoutingConflict, requireNone } from './invalid-routing.ts';
import type { GatewaySettings, GatewaySpec, RouteSettings, RouteSpec, TargetSpec } from './specs.ts';

/** Origin of a row: the API, or GATEWAYS_FILE. */
export type RoutingSource = 'api' | 'file';

/** Maximum number of rows of an installation: every worker reads them all. */
const MAX_GATEWAYS = 200;
const MAX_ROUTES = 1_000;

/** For how long callbacks by replaced credentials are accepted: as long as a message lives by default. */
const OVERLAP_MS = 48 * 3_600_000;

/** Identity of a row that the caller knows before it is stored. */
interface NewRow {
  id?: string;
  createdAt?: Date;
}

/** The fields of a route to change; omitted fields keep their values. */
export type RouteChange = RouteSettings & { targets?: TargetSpec[] };

/**
 * Changes gateways and routes in one transaction, under a lock that lets one change happen at a time, so that each is
 * checked against all other rows.
 */
export class RoutingStore {
  private constructor(
    private readonly db: EntityManager,
    private readonly sealer: Sealer,
    private gateways: GatewayRow[],
    private routes: RouteRow[],
  ) {}

  /**
   * Locks the routing until the end of the caller's transaction, and reads it.
   *
   * @param db of a transaction
   */
  static async open(db: EntityManager, sealer: Sealer): Promise<RoutingStore> {
    await lockRouting(db);
    return new RoutingStore(db, sealer, await listGateways(db), await listAllRoutes(db));
  }

  findGateway(name: string): GatewayRow | undefined {
    return this.gateways.find((gateway) => gateway.name === name);
  }

  findRoute(key: { id: string } | { name: string }): RouteRow | undefined {
    return this.routes.find((route) => ('id' in key ? route.id === key.id : route.name === key.name));
  }

  listGateways(): readonly GatewayRow[] {
    return this.gateways;
  }

  listRoutes(): readonly RouteRow[] {
    return this.routes;
  }

  /** @throws InvalidRouting, RoutingConflict */
  async createGateway(
    spec: GatewaySpec,
    source: RoutingSource,
    { id = randomUUIDv7(), createdAt }: NewRow = {},
  ): Promise<void> {
    const { name, channel, kind, ratePerSecond = null, enabled = true } = spec;
    const { settings, secrets } = validContent(spec, spec);
    if (this.gateways.length >= MAX_GATEWAYS) throw tooMany(MAX_GATEWAYS, 'gateways');
    const fields = { id, name, channel, kind, settings, sealedSecrets: this.seal(id, secrets) };
    const limits = { ratePerSecond, enabled, paused: false };
    const row = await insertGateway(this.db, { ...fields, ...limits, source, createdAt });
    if (!row) throw new RoutingConflict('name_exists', `There is a gateway named "${name}" already.`);
    this.gateways = [...this.gateways, row];
  }

  /**
   * Changes a gateway. Settings and credentials that the change omits keep their values; null removes one.
   *
   * @throws InvalidRouting
   */
  async changeGateway(row: GatewayRow, change: GatewaySettings & { paused?: boolean }): Promise<GatewayRow> {
    const secrets = this.secretsOf(row);
    if (change.settings !== undefined || change.secrets !== undefined)
      requireNone(checkChange(row, secrets, change));
    return this.replaceGateway(row, changedContent(row, secrets, change), { ...change, source: row.source });
  }

  /** Makes a gateway match the file. @returns undefined when it does already. @throws InvalidRouting */
  async setGateway(row: GatewayRow, spec: GatewaySpec): Promise<GatewayRow | undefined> {
    const { ratePerSecond = null, enabled = true } = spec;
    requireSame(['kind', 'channel'], row, spec);
    const given = validContent(row, spec);
    const isSame = isEqual(
      [given.settings, given.secrets, ratePerSecond, enabled, 'file'],
      [row.settings, this.secretsOf(row), row.ratePerSecond, row.enabled, row.source],
    );
    return isSame
      ? undefined
      : this.replaceGateway(row, given, { ...spec, ratePerSecond, enabled, source: 'file' });
  }

  /** @throws RoutingConflict */
  async deleteGateway(row: GatewayRow): Promise<void> {
    const users = this.routes.filter((route) => gatewaysOf(route).includes(row.name));
    if (users.length > 0) {
      const names = users.map(({ name }) => `"${name}"`).join(', ');
      throw new RoutingConflict(
        'gateway_in_use',
        `The gateway "${row.name}" is named by ${users.length === 1 ? 'the route' : 'the routes'} ${names}. Remove it there, or delete the route, first.`,
      );
    }
    await deleteGateway(this.db, row.id);
    this.gateways = this.gateways.filter(({ id }) => id !== row.id);
  }

  /** @throws InvalidRouting, RoutingConflict */
  async createRoute(
    spec: RouteSpec,
    source: RoutingSource,
    { id = randomUUIDv7(), createdAt }: NewRow = {},
  ): Promise<void> {
    if (this.routes.length >= MAX_ROUTES) throw tooMany(MAX_ROUTES, 'routes');
    if (this.findRoute({ name: spec.name }))
      throw new RoutingConflict('name_exists', `There is a route named "${spec.name}" already.`);
    const route = await this.checked({ ...toRoute(spec), id, source });
    const row = await insertRoute(this.db, { ...route, createdAt });
    this.routes = [...this.routes, row];
  }

  /** Changes a route. A given list or object replaces the whole one. @throws InvalidRouting */
  changeRoute(row: RouteRow, change: RouteChange): Promise<RouteRow> {
    const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
    const spec = { ...row, ...given } as RouteSpec;
    return this.replaceRoute({ ...toRoute(spec), id: row.id, source: row.source });
  }

  /** Makes a route match the file. @returns undefined when it does already. @throws InvalidRouting */
  async setRoute(row: RouteRow, spec: RouteSpec): Promise<RouteRow | undefined> {
    const route = { ...toRoute(spec), id: row.id, source: 'file' as const };
    const { version: _, createdAt: __, updatedAt: ___, ...stored } = row;
    return isEqual(route, stored) ? undefined : this.replaceRoute(route);
  }

  async deleteRoute(row: RouteRow): Promise<void> {
    await deleteRoute(this.db, row.id);
    this.routes = this.routes.filter(({ id }) => id !== row.id);
  }

  /** Checks the whole, once all changes are made. @throws RoutingConflict */
  requireDecided(): void {
    const problem = undecidedChannel({ gateways: this.gateways, routes: this.routes });
    if (problem !== undefined) throw new RoutingConflict('routing_undecided', problem);
  }

  /** The credentials of a gateway; none when they cannot be opened, so that they can be given again. */
  private secretsOf(row: GatewayRow): Record<string, string> {
    return openGatewaySecrets(row, this.sealer) ?? {};
  }

  private async replaceGateway(
    row: GatewayRow,
    { settings, secrets }: GivenGateway,
    { ratePerSecond, enabled, paused, source }: GatewaySettings & { paused?: boolean; source: RoutingSource },
  ): Promise<GatewayRow> {
    const sealedSecrets = this.seal(row.id, secrets);
    const oldSecrets = this.oldSecretsAfter(row, secrets);
    const change = { settings, sealedSecrets, oldSecrets, ratePerSecond, enabled, paused, source };
    const changed = await updateGateway(this.db, row.id, change);
    this.gateways = this.gateways.map((each) => (each.id === row.id ? changed! : each));
    return changed!;
  }

  /** The replaced credentials of a gateway that reports by callback, once it has these; undefined when it has them. */
  private oldSecretsAfter(row: GatewayRow, secrets: Record<string, string>): OldSecret[] | undefined {
    const before = openGatewaySecrets(row, this.sealer);
    if (!findGatewayKind(row.kind)?.callbacks || !row.sealedSecrets || !before) return undefined;
    if (isEqual(before, secrets)) return undefined;
    return replacedSecrets(row.sealedSecrets, row.oldSecrets, new Date(), OVERLAP_MS);
  }

  private async replaceRoute(route: NewRoute): Promise<RouteRow> {
    const changed = await updateRoute(this.db, await this.checked(route));
    this.routes = this.routes.map((each) => (each.id === route.id ? changed! : each));
    return changed!;
  }

  /** @throws InvalidRouting */
  private async checked(route: NewRoute): Promise<NewRoute> {
    requireNone(await this.checkRoute(route));
    return route;
  }

  /** Lists the problems of a route among the other rows. Accounts that it named before may be gone. */
  async checkRoute(route: NewRoute): Promise<Violation[]> {
    const { accounts = [] } = route.match;
    const before = this.findRoute({ id: route.id })?.match.accounts ?? [];
    const added = accounts.filter((id) => !before.includes(id));
    const unknown = added.length > 0 ? await listUnknownAccounts(this.db, added) : [];
    return [
      ...checkRoute(route, { gateways: this.gateways, routes: this.routes }),
      ...unknown.map((id) =>
        violation(
          `match.accounts[${accounts.indexOf(id)}]`,
          'unknown_account',
          'must be the id of an account: GET /v1/accounts lists them',
        ),
      ),
    ];
  }

  private seal(id: string, secrets: Record<string, string>): Buffer | null {
    return Object.keys(secrets).length === 0
      ? null
      : this.sealer.seal(JSON.stringify(secrets), gatewayRow(id));
  }
}

/** A route that is to be stored. */
export type NewRoute = Omit<RouteRow, 'version' | 'createdAt' | 'updatedAt'>;

/** Fills in the defaults of a route. */
export function toRoute(spec: RouteSpec): Omit<NewRoute, 'id' | 'source'> {
  const { name, priority = 100, enabled = true, match = {}, targets, fallbacks = [], policy = {} } = spec;
  return {
    name,
    priority,
    enabled,
    match: withoutEmpty(withoutNulls(plain(match))) as NewRoute['match'],
    targets: targets.map(({ gateway, weight = 1, cost = null }) => ({ gateway, weight, cost })),
    fallbacks,
    policy: { ...DEFAULT_ROUTE_POLICY, ...withoutNulls(plain(policy)) },
  };
}

/** Returns the settings and credentials that a specification gives a gateway. @throws InvalidRouting */
function validContent(
  { name, channel, kind }: Pick<GivenGateway, 'name' | 'channel' | 'kind'>,
  { settings = {}, secrets = {} }: GatewaySettings,
): GivenGateway {
  const given = { name, channel, kind, settings, secrets: withoutNulls(secrets) };
  requireNone(checkGateway(given));
  return given;
}

function requireSame(fields: ('kind' | 'channel')[], row: GatewayRow, spec: GatewaySpec): void {
  const changed = fields.filter((field) => row[field] !== spec[field]);
  requireNone(
    changed.map((field) =>
      violation(field, 'not_allowed_value', `must stay ${row[field]}: give the new gateway another name`),
    ),
  );
}

function tooMany(max: number, rows: 'gateways' | 'routes'): RoutingConflict {
  return new RoutingConflict('limit_reached', `There may be ${max} ${rows}, and this would be more.`);
}

/** The members of an instance that JSON would show. */
function plain(value: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
}

/** Removes empty lists, which would match nothing. */
function withoutEmpty(match: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(match).filter(([, value]) => !(Array.isArray(value) && value.length === 0)),
  );
}

/** Compares two values as JSON, whatever the order of their members: Postgres sorts those of jsonb. */
function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}
