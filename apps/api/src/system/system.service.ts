import { readFileSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { listPendingMigrations } from '@signalbox/database/core/migrate';
import {
  countWorkers,
  listAppliedMigrations,
  listTables,
  readDatabaseFacts,
} from '@signalbox/database/ops/system';
import { listBreakers } from '@signalbox/database/webhooks/breakers';
import { Queues } from '@signalbox/queues/open-queues';
import { isPostgres } from '@signalbox/queues/queue-connection';
import { EntityManager } from 'typeorm';
import { ApiConfig } from '../config.ts';
import type { Page } from '../http/answer.ts';
import { Cursors } from '../http/cursor.ts';
import type { EndpointQuery } from './endpoint.dto.ts';
import { shownSettings } from './shown-settings.ts';
import { type EndpointView, type SystemView, endpointView } from './system.view.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const startedAt = new Date(Date.now() - process.uptime() * 1_000);

/** Shows the state of the installation. */
@Injectable()
export class SystemService {
  constructor(
    private readonly db: EntityManager,
    private readonly queues: Queues,
    private readonly config: ApiConfig,
    private readonly cursors: Cursors,
  ) {}

  async get(): Promise<SystemView> {
    const { startedAt: postgresStartedAt, ...postgres } = await readDatabaseFacts(this.db);
    return {
      version,
      node: process.version,
      startedAt: startedAt.toISOString(),
      postgres: { ...postgres, startedAt: postgresStartedAt.toISOString() },
      queues: await this.queueServer(),
      migrations: await this.migrations(),
      workers: await countWorkers(this.db),
      tables: await listTables(this.db),
      settings: shownSettings(this.config),
    };
  }

  /** A page of the endpoints in trouble, by webhook. */
  endpoints(callerId: string, { state, accountId, ...page }: EndpointQuery): Promise<Page<EndpointView>> {
    const filter = { state: state ?? null, accountId: accountId ?? null };
    const read = (limit: number, after?: string) => listBreakers(this.db, filter, limit, after);
    return this.cursors.page('endpoints', callerId, page, read, endpointView);
  }

  private async migrations(): Promise<SystemView['migrations']> {
    const applied = await listAppliedMigrations(this.db);
    return {
      applied: applied.length,
      last: applied.at(-1) ?? null,
      pending: await listPendingMigrations(this.db.connection),
    };
  }

  private async queueServer(): Promise<SystemView['queues']> {
    const none = { version: null, usedBytes: null, maxBytes: null, mayEvict: null };
    const kind = isPostgres(this.config.QUEUE_URL) ? 'postgres' : 'redis';
    const admin = this.queues.all[0]!.admin;
    try {
      await admin.isPaused();
      return { kind, isReachable: true, ...none, ...(kind === 'redis' && (await admin.serverFacts())) };
    } catch {
      return { kind, isReachable: false, ...none };
    }
  }
}
