import { randomUUID } from 'node:crypto';
import {
  deleteStates,
  listGateways,
  listStates,
  readVersions,
  upsertStates,
} from '@signalbox/database/gateways/gateways';
import { addGatewayCounts, sumGatewayCounts } from '@signalbox/database/gateways/health';
import { listRoutes } from '@signalbox/database/gateways/routes';
import type { Channel } from '@signalbox/domain/channel';
import type { Route } from '@signalbox/domain/routing/route';
import type { Logger } from '@signalbox/runtime/logger';
import { type Repeated, repeat } from '@signalbox/runtime/repeat';
import type { EntityManager } from 'typeorm';
import { showGateways } from './gateway-metrics.ts';
import type { Gateways } from './gateways.ts';
import type { OutcomeCounts } from './outcome-counts.ts';
import type { Router } from './router.ts';

const WATCH_EVERY_MS = 1_000;

/** Passes between two sums of the health counts. */
const PASSES_PER_SUM = 5;

/** The parts of a worker that follow the rows of gateways and routes. */
export interface Watched {
  gateways: Gateways;
  router: Router;
  counts: OutcomeCounts;
}

/**
 * Follows the rows of gateways and routes once a second, and writes this worker's view of its gateways. A database that
 * does not answer changes nothing: the worker continues with what it knows.
 */
export class GatewayWatch {
  private readonly workerId = randomUUID();
  private watching: Repeated | undefined;
  private seen = { gateways: '', routes: '' };
  private passes = 0;
  private hasWritten = false;

  constructor(
    private readonly db: EntityManager,
    private readonly channel: Channel,
    private readonly watched: Watched,
    private readonly logger: Logger,
  ) {}

  /** Reads the rows, and follows them from now on. @throws the error of the database: the worker does not start */
  async start(): Promise<this> {
    await this.pass();
    this.watching = repeat('watch gateways', { everyMs: WATCH_EVERY_MS }, () => this.pass(), this.logger);
    return this;
  }

  /** Stops following the rows, and withdraws this worker's view, so that no other worker releases messages to it. */
  async close(): Promise<void> {
    await this.watching?.stop();
    if (this.hasWritten) await deleteStates(this.db, this.workerId);
  }

  /** Follows what changed since the last pass. Without rows it costs one statement. */
  async pass(): Promise<void> {
    await this.follow();
    const { gateways, counts } = this.watched;
    if (gateways.hasRows || this.hasWritten) await this.exchange();
    this.hasWritten = gateways.hasRows;
    const counted = counts.take();
    if (counted.length > 0 && this.seen.gateways !== '') await addGatewayCounts(this.db, counted);
  }

  private async follow(): Promise<void> {
    const { gateways, router } = this.watched;
    const versions = await readVersions(this.db);
    if (versions.gateways === this.seen.gateways && versions.routes === this.seen.routes) return;
    const rows = (await listGateways(this.db)).filter(({ channel }) => channel === this.channel);
    const names = new Set(rows.map(({ name }) => name));
    const routes = await listRoutes(this.db);
    gateways.follow(rows);
    router.followRoutes(routes.filter((route) => isAbout(route, names)));
    this.seen = versions;
  }

  private async exchange(): Promise<void> {
    const { gateways, router } = this.watched;
    const views = gateways.views();
    await upsertStates(this.db, this.workerId, views);
    const states = await listStates(this.db);
    router.followOthers(states.filter(({ workerId }) => workerId !== this.workerId));
    if (this.passes % PASSES_PER_SUM === 0) router.followCounts(await sumGatewayCounts(this.db));
    this.passes += 1;
    showGateways(gateways.rows.map(({ row, state }) => ({ name: row.name, state: state() })));
  }
}

/** A route whose gateways are of the other channel does not concern this worker. */
function isAbout({ targets, fallbacks }: Route, names: ReadonlySet<string>): boolean {
  return [...targets.map(({ gateway }) => gateway), ...fallbacks].some((name) => names.has(name));
}
