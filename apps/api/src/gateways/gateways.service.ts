import { randomUUIDv7 } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  type GatewayRow,
  findGateway,
  listGateways,
  listStates,
} from '@signalbox/database/gateways/gateways';
import { sumGatewayCounts } from '@signalbox/database/gateways/health';
import { listIdRules, revokeIdRule } from '@signalbox/database/gateways/id-rules';
import { isObject } from '@signalbox/domain/is-object';
import { NO_COUNTS } from '@signalbox/domain/routing/gateway-health';
import type { Violation } from '@signalbox/domain/violation';
import { findGatewayKind } from '@signalbox/gateways/registry';
import { readRow } from '@signalbox/messaging/gateways/read-row';
import { openGatewaySecrets } from '@signalbox/messaging/routing-config/gateway-secrets';
import { checkChange, withoutNulls } from '@signalbox/messaging/routing-config/gateway-checks';
import type { RoutingStore } from '@signalbox/messaging/routing-config/routing-store';
import { Sealer } from '@signalbox/runtime/seal';
import { EntityManager } from 'typeorm';
import type { Caller } from '../auth/caller.ts';
import { withAuditAsLiveCaller } from '../auth/live-caller.ts';
import { ApiConfig } from '../config.ts';
import { ApiError } from '../errors/api-error.ts';
import { changesNothing } from '../http/changes-nothing.ts';
import { Creations, type LiveCall } from '../http/creations.ts';
import { isStorableText } from '../http/inspect-input.ts';
import { type GatewayChange, type GatewayRequest, textsOf } from './gateway.dto.ts';
import { type GatewayStateView, type GatewayView, gatewayStateView, gatewayView } from './gateway.view.ts';
import { RoutingChanges } from './routing-changes.ts';

/** Facts about a gateway that no worker has opened. */
const NEW = { views: [], rule: undefined, counts: NO_COUNTS };

/** Manages the gateways of the installation. */
@Injectable()
export class GatewaysService {
  constructor(
    private readonly db: EntityManager,
    private readonly sealer: Sealer,
    private readonly creations: Creations,
    private readonly changes: RoutingChanges,
    private readonly config: ApiConfig,
  ) {}

  /** @throws ApiError invalid_request, name_exists, routing_undecided, limit_reached; those of `onceLive` */
  async create(call: LiveCall<GatewayRequest>): Promise<GatewayView> {
    const {
      name,
      channel,
      kind,
      settings = {},
      secrets = {},
      ratePerSecond = null,
      enabled = true,
    } = call.request;
    const id = randomUUIDv7();
    const createdAt = new Date();
    const row: GatewayRow = {
      id,
      name,
      channel,
      kind,
      settings,
      ratePerSecond,
      enabled,
      createdAt,
      sealedSecrets: null,
      oldSecrets: [],
      paused: false,
      source: 'api',
      version: 1,
      updatedAt: createdAt,
    };
    const given = withoutNulls(secrets);
    const callbackUrl = this.callbackUrl(row, given);
    const view = gatewayView(row, { ...NEW, secretNames: Object.keys(given), callbackUrl });
    return this.creations.onceLive(call, view, (db) =>
      this.changes.within(db, (store) => store.createGateway(call.request, 'api', { id, createdAt })),
    );
  }

  /** Lists all gateways by name. */
  async list(): Promise<GatewayView[]> {
    return this.viewsOf(await listGateways(this.db));
  }

  /** @throws ApiError gateway_not_found */
  async get(name: string): Promise<GatewayView> {
    const [view] = await this.viewsOf([await this.find(name)]);
    return view!;
  }

  /** @throws ApiError gateway_not_found, invalid_request, routing_undecided */
  async change(
    caller: Caller,
    name: string,
    change: GatewayChange & { paused?: boolean },
  ): Promise<GatewayView> {
    if (changesNothing(change)) return this.get(name);
    await this.changes.run(caller, (store) => store.changeGateway(findIn(store, name), change));
    return this.get(name);
  }

  /** Lists the problems of the settings and credentials of a change, also of one that is malformed. */
  async problemsOf(name: string, change: unknown): Promise<Violation[]> {
    const row = isStorableText(name) ? await findGateway(this.db, name) : undefined;
    const { settings, secrets } = objectOf(change);
    if (!row || (settings === undefined && secrets === undefined)) return [];
    const known = openGatewaySecrets(row, this.sealer) ?? {};
    const given = { settings: objectOf(settings), secrets: textsOf(objectOf(secrets)) };
    return checkChange(row, known, given);
  }

  /** Deletes a gateway that no route names. @throws ApiError gateway_not_found, gateway_in_use */
  async delete(caller: Caller, name: string): Promise<{ name: string }> {
    await this.changes.run(caller, (store) => store.deleteGateway(findIn(store, name)));
    return { name };
  }

  /** The state that each worker sees. @throws ApiError gateway_not_found */
  async state(name: string): Promise<GatewayStateView> {
    const row = await this.find(name);
    const views = await listStates(this.db);
    return gatewayStateView(
      row,
      views.filter((view) => view.gatewayId === row.id),
    );
  }

  /** Revokes the rule of the gateway's ids. @throws ApiError gateway_not_found; those of `requireLiveCaller` */
  async revokeIdRule(caller: Caller, name: string): Promise<GatewayView> {
    const { name: gateway } = await this.find(name);
    await withAuditAsLiveCaller(this.db, caller, (db) => revokeIdRule(db, gateway));
    return this.get(name);
  }

  /** @throws ApiError gateway_not_found */
  async find(name: string): Promise<GatewayRow> {
    const row = await findGateway(this.db, name);
    if (!row) throw new ApiError('gateway_not_found');
    return row;
  }

  private async viewsOf(rows: GatewayRow[]): Promise<GatewayView[]> {
    const states = await listStates(this.db);
    const rules = await listIdRules(this.db);
    const counts = await sumGatewayCounts(this.db, 60);
    return rows.map((row) => {
      const secrets = openGatewaySecrets(row, this.sealer) ?? {};
      return gatewayView(row, {
        secretNames: Object.keys(secrets),
        views: states.filter(({ gatewayId }) => gatewayId === row.id),
        counts: counts.find(({ gateway }) => gateway === row.name) ?? NO_COUNTS,
        rule: rules.find(({ gateway }) => gateway === row.name),
        callbackUrl: this.callbackUrl(row, secrets),
      });
    });
  }

  /** Null for a gateway that does not report by callback, or whose settings are not complete. */
  private callbackUrl(row: GatewayRow, secrets: Record<string, string>): string | null {
    const kind = findGatewayKind(row.kind);
    if (!kind?.callbacks) return null;
    const read = readRow(kind, row, secrets, this.config.PUBLIC_URL);
    return 'problems' in read || !kind.callbacks(read) ? null : read.callbackUrl;
  }
}

function findIn(store: RoutingStore, name: string): GatewayRow {
  const row = store.findGateway(name);
  if (!row) throw new ApiError('gateway_not_found');
  return row;
}

/** Anything else is refused for its type. */
function objectOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
