import { Injectable } from '@nestjs/common';
import { isRefusedValue } from '@signalbox/database/core/refused-value';
import {
  type Health,
  type Tally,
  addEndpoints,
  disableWebhook,
  hasMoved,
  recordHealth,
} from '@signalbox/database/webhooks/endpoints';
import { addEndpointCalls } from '@signalbox/database/webhooks/endpoint-hours';
import { bisect } from '@signalbox/runtime/bisect';
import { Fleet } from '@signalbox/runtime/fleet';
import { Logger } from '@signalbox/runtime/logger';
import { EntityManager } from 'typeorm';
import { EndpointHealth } from './endpoint-health.ts';
import { HourCounts } from './hour-counts.ts';
import { EndpointLane } from './endpoint-lane.ts';
import type { OpenTarget } from '../pushes/open-target.ts';

const FAILED_PROBE = {
  calls: 1,
  failures: 1,
  succeeded: false,
  failuresInRow: 1,
  failingForMs: 0,
  probe: 'failed',
} as const;

/**
 * Milliseconds without a push after which the lane of an endpoint is dropped. A new lane starts from stored failures.
 */
const IDLE_MS = 600_000;

/**
 * The endpoints that this process calls: a lane for each, with this process's share of its limits, and the outcomes of
 * its calls.
 */
@Injectable()
export class Endpoints {
  private readonly lanes = new Map<string, EndpointLane>();
  private readonly health = new EndpointHealth();
  private readonly hours = new HourCounts();
  /** Webhooks whose row of `endpoint` exists. */
  private readonly stored = new Set<string>();
  private flushing: Promise<void> = Promise.resolve();

  constructor(
    private readonly db: EntityManager,
    private readonly fleet: Fleet,
    private readonly logger: Logger,
  ) {}

  /**
   * Returns the lane of an endpoint. All dlr-workers share its limits: when `maxInFlight` is below their number, some
   * get no slot.
   */
  laneOf(
    webhookId: string,
    { maxInFlight, ratePerSecond }: Pick<OpenTarget, 'maxInFlight' | 'ratePerSecond'>,
  ): EndpointLane {
    let lane = this.lanes.get(webhookId);
    if (!lane) {
      lane = new EndpointLane();
      this.lanes.set(webhookId, lane);
    }
    return lane.limit({
      inFlight: this.fleet.share(webhookId, maxInFlight),
      perSecond: ratePerSecond === null ? Infinity : this.fleet.shareOfRate(ratePerSecond),
    });
  }

  /** Drops what is kept of endpoints that had no push for a while: they may be deleted. */
  dropIdle(idleMs = IDLE_MS): void {
    const since = performance.now() - idleMs;
    for (const [webhookId, lane] of this.lanes) {
      if (!lane.isIdleSince(since)) continue;
      this.lanes.delete(webhookId);
      this.stored.delete(webhookId);
    }
  }

  /** Counts a call. */
  record(target: OpenTarget, ok: boolean, isProbe: boolean): void {
    const isTroubled = target.failures > 0 || target.openLevel > 0;
    this.hours.record(target.id, ok);
    const isUrgent = this.health.record(target.id, ok, isTroubled, isProbe);
    if (isUrgent) this.flushSoon();
  }

  /**
   * Disables the webhook of an endpoint that returned 410.
   *
   * @returns false when it has another address by now: it stays enabled
   */
  async disableGone({ id, accountId, endPoint }: OpenTarget): Promise<boolean> {
    const reason = 'the endpoint returned 410 Gone';
    const isDisabled = await disableWebhook(this.db, id, reason, endPoint);
    if (isDisabled) this.logger.warn({ accountId, webhookId: id, reason }, 'webhook.disabled');
    return isDisabled || !(await hasMoved(this.db, id, endPoint));
  }

  /**
   * Stores the health counts since the last flush, for all workers. A killed process, or a statement that fails, loses at
   * most a second of them.
   */
  async flushHealth(): Promise<void> {
    const tallies = this.health.take();
    if (tallies.length === 0) return;
    const added = tallies.map(({ webhookId }) => webhookId).filter((id) => !this.stored.has(id));
    if (added.length > 0) await addEndpoints(this.db, added);
    for (const id of added) this.stored.add(id);
    await this.storeHealth(tallies);
  }

  /** Opens the breakers of endpoints as a failed probe does: for longer at each repeat. */
  async openBreakers(webhookIds: string[]): Promise<void> {
    await addEndpoints(this.db, webhookIds);
    const tallies = webhookIds.map((webhookId) => ({ webhookId, ...FAILED_PROBE }));
    await this.storeHealth(tallies);
  }

  /** Stores the calls by hour. Counts that cannot be stored are added to the next ones; a killed process loses them. */
  async flushHours(): Promise<void> {
    const calls = this.hours.take();
    if (calls.length === 0) return;
    try {
      await addEndpointCalls(this.db, calls);
    } catch (error) {
      this.hours.restore(calls);
      throw error;
    }
  }

  /** Waits for the flush in progress, then flushes the rest. */
  async close(): Promise<void> {
    await this.flushing;
    await this.flushHealth();
    await this.flushHours();
  }

  /** Flushes in the background; only `close` waits for it. */
  private flushSoon(): void {
    this.flushing = this.flushing
      .then(() => this.flushHealth())
      .catch((error: unknown) => this.logger.warn({ error }, 'endpoint.flush_failed'));
  }

  /** Logs and drops a tally that the database refuses: it loses those of no other endpoint. */
  private async storeHealth(tallies: Tally[]): Promise<void> {
    const store = async (part: Tally[]): Promise<void> => {
      for (const health of await recordHealth(this.db, part)) this.log(health);
    };
    for (const { item, error } of await bisect(tallies, store, isRefusedValue))
      this.logger.error({ webhookId: item.webhookId, error }, 'endpoint.health_refused');
  }

  private log({ webhookId, accountId, failures, openLevel, openLevelBefore, disabledReason }: Health): void {
    if (disabledReason !== null)
      this.logger.warn({ accountId, webhookId, failures, reason: disabledReason }, 'webhook.disabled');
    if (openLevelBefore === 0 && openLevel > 0)
      this.logger.warn({ accountId, webhookId, failures }, 'webhook.breaker_opened');
    if (openLevelBefore > 0 && openLevel === 0)
      this.logger.info({ accountId, webhookId }, 'webhook.breaker_closed');
  }
}
