import {
  type Health,
  addEndpoints,
  disableWebhook,
  recordHealth,
} from '@signalbox/database/webhooks/endpoints';
import type { Fleet } from '@signalbox/runtime/fleet';
import type { Logger } from '@signalbox/runtime/logger';
import type { EntityManager } from 'typeorm';
import { EndpointLane } from './endpoint-lane.ts';
import { HealthBook } from './health-book.ts';
import type { OpenTarget } from './push-call.ts';

/** The end points of this process: a lane for each, with this process's share of its limits, and what was seen of its health. */
export class Endpoints {
  private readonly lanes = new Map<string, EndpointLane>();
  private readonly book = new HealthBook();
  private readonly stored = new Set<string>();
  private telling: Promise<void> = Promise.resolve();

  constructor(
    private readonly db: EntityManager,
    private readonly fleet: Fleet,
    private readonly logger: Logger,
  ) {}

  /** The lane of an end point. Its limits hold for all dlr-workers together; where there are fewer calls than workers, some get none. */
  laneOf(
    webhookId: string,
    { maxInFlight, ratePerSecond }: Pick<OpenTarget, 'maxInFlight' | 'ratePerSecond'>,
  ): EndpointLane {
    let lane = this.lanes.get(webhookId);
    if (!lane) this.lanes.set(webhookId, (lane = new EndpointLane()));
    const inFlight = this.fleet.share(webhookId, maxInFlight);
    return lane.limit({
      inFlight,
      perSecond: ratePerSecond === null ? Infinity : this.fleet.shareOfRate(ratePerSecond),
    });
  }

  /** Notes how a call went. One that says 410 wants no more calls. */
  async note(
    target: OpenTarget,
    { ok, gone }: { ok: boolean; gone: boolean },
    isProbe: boolean,
  ): Promise<void> {
    const isUrgent = this.book.note(target.id, ok, target.failures > 0 || target.openLevel > 0, isProbe);
    if (isUrgent) this.tellSoon();
    if (gone) await this.disable(target, 'the end point answered 410 Gone');
  }

  /** Tells the others what was seen here since the last time. What is lost with a process is a second of counts. */
  async tell(): Promise<void> {
    const tallies = this.book.take();
    if (tallies.length === 0) return;
    const added = tallies.map(({ webhookId }) => webhookId).filter((id) => !this.stored.has(id));
    if (added.length > 0) await addEndpoints(this.db, added);
    for (const id of added) this.stored.add(id);
    for (const health of await recordHealth(this.db, tallies)) this.log(health);
  }

  /** Opens the breakers of these end points now, as a probe that failed does: for longer each time it happens again. */
  async open(webhookIds: string[]): Promise<void> {
    await addEndpoints(this.db, webhookIds);
    const failure = {
      calls: 1,
      failures: 1,
      succeeded: false,
      failuresInRow: 1,
      failingForMs: 0,
      probe: 'failed' as const,
    };
    const tallies = webhookIds.map((webhookId) => ({ webhookId, ...failure }));
    for (const health of await recordHealth(this.db, tallies)) this.log(health);
  }

  /** Tells the last of it. */
  async close(): Promise<void> {
    await this.telling;
    await this.tell();
  }

  /** Nobody waits for it, but those who close this. */
  private tellSoon(): void {
    this.telling = this.telling
      .then(() => this.tell())
      .catch((error: unknown) => this.logger.warn({ error }, 'endpoint.untold'));
  }

  private async disable({ id, accountId }: OpenTarget, reason: string): Promise<void> {
    if (await disableWebhook(this.db, id, reason))
      this.logger.warn({ accountId, webhookId: id, reason }, 'webhook.disabled');
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
