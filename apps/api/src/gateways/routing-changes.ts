import { Injectable } from '@nestjs/common';
import { InvalidRouting, RoutingConflict } from '@signalbox/messaging/routing-config/invalid-routing';
import { RoutingStore } from '@signalbox/messaging/routing-config/routing-store';
import { Sealer } from '@signalbox/runtime/seal';
import { EntityManager } from 'typeorm';
import type { Caller } from '../auth/caller.ts';
import { withAuditAsLiveCaller } from '../auth/live-caller.ts';
import { ApiError, invalidRequest } from '../errors/api-error.ts';

/** Changes gateways and routes, one call at a time, and checks the result before it is stored. */
@Injectable()
export class RoutingChanges {
  constructor(
    private readonly db: EntityManager,
    private readonly sealer: Sealer,
  ) {}

  /**
   * Runs a change in its own transaction, with the audit row of its caller.
   *
   * @throws ApiError those of `within` and `requireLiveCaller`
   */
  run<R>(caller: Caller, change: (store: RoutingStore) => Promise<R>): Promise<R> {
    return withAuditAsLiveCaller(this.db, caller, (db) => this.within(db, change));
  }

  /**
   * Runs a change within a transaction.
   *
   * @throws ApiError invalid_request, name_exists, gateway_in_use, routing_undecided, limit_reached
   */
  async within<R>(db: EntityManager, change: (store: RoutingStore) => Promise<R>): Promise<R> {
    try {
      const store = await RoutingStore.open(db, this.sealer);
      const result = await change(store);
      store.requireDecided();
      return result;
    } catch (error) {
      throw toApiError(error);
    }
  }
}

function toApiError(error: unknown): unknown {
  if (error instanceof InvalidRouting) return invalidRequest([...error.violations]);
  if (error instanceof RoutingConflict) return new ApiError(error.reason, error.message);
  return error;
}
