import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { getEntityManagerToken } from '@nestjs/typeorm';
import type { DatabaseOptions } from '@signalbox/database/core/data-source';
import { poolUse } from '@signalbox/database/core/pool-use';
import { beat, leave } from '@signalbox/database/ops/live-workers';
import type { QueueDefinition } from '@signalbox/queues/define-queue';
import { Queues } from '@signalbox/queues/open-queues';
import { workerConnection } from '@signalbox/queues/queue-connection';
import type { AppConfig } from '@signalbox/runtime/app-config';
import { ClockWatch } from '@signalbox/runtime/clock-watch';
import { Fleet } from '@signalbox/runtime/fleet';
import { AccountThrottle } from '@signalbox/runtime/account-throttle';
import { Logger } from '@signalbox/runtime/logger';
import { exposePool } from '@signalbox/runtime/pool-metrics';
import { Sealer } from '@signalbox/runtime/seal';
import { EntityManager } from 'typeorm';
import { databaseModule } from './database.module.ts';
import { SecretsKeyCheck } from './secrets-key-check.ts';
import { whileAway } from './while-away.ts';
import { WorkerLife, WorkerPlan, type WorkerPlanOptions } from './worker-life.ts';

/** Name of a second database whose commits wait for the disk: `@InjectEntityManager(DURABLE)`. */
export const DURABLE = 'durable';

/** A worker, apart from its own providers. */
export interface WorkerOptions<Config extends AppConfig> extends WorkerPlanOptions {
  /** Shown in pg_stat_activity. */
  name: string;
  config: Config;
  logger: Logger;
  /**
   * Databases to open, by the kind of their commits: see `SessionKind`. The first is the default, a second one must be
   * `durable` and is named DURABLE.
   */
  commits: readonly DatabaseOptions['commit'][];
  /** Further queues to enqueue to. */
  produces?: readonly QueueDefinition[];
}

/**
 * Opens the databases, queues and fleet of a worker, so that its own module lists injectable classes only. Provides
 * everywhere: the config under its class, `Logger`, `Queues`, `Sealer`, `AccountThrottle`, `Fleet` if named, and
 * `EntityManager`.
 */
@Module({ imports: [DiscoveryModule] })
export class WorkerModule {
  static with<Config extends AppConfig>(options: WorkerOptions<Config>): DynamicModule {
    const { config, logger, commits, fleet, consumes, produces = [] } = options;
    const queue = { url: config.QUEUE_URL, prefix: config.QUEUE_PREFIX };
    const shared: Provider[] = [
      { provide: config.constructor, useValue: config },
      { provide: Logger, useValue: logger },
      { provide: Sealer, useValue: new Sealer(...config.secretKeys) },
      { provide: AccountThrottle, useValue: new AccountThrottle() },
      {
        provide: Queues,
        useFactory: () => Queues.open([...consumes, ...produces], queue, logger, consumes),
      },
      ...(fleet === undefined ? [] : [fleetProvider(fleet)]),
    ];
    return {
      module: WorkerModule,
      global: true,
      imports: [
        BullModule.forRoot(workerConnection(queue)),
        BullModule.registerQueue(), // registers no queue, but starts the processors
        ...commits.map((commit, i) => database(options, commit, i > 0)),
      ],
      providers: [
        ...shared,
        { provide: WorkerPlan, useValue: new WorkerPlan(options) },
        ...commits.map((commit, i) => poolMetrics(commit, i > 0)),
        WorkerLife,
        SecretsKeyCheck,
      ],
      exports: [...shared, WorkerLife],
    };
  }
}

function database(
  { name, config, logger }: WorkerOptions<AppConfig>,
  commit: DatabaseOptions['commit'],
  isNamed: boolean,
): DynamicModule {
  const { DATABASE_URL: url, DATABASE_POOL_SIZE: poolSize } = config;
  return databaseModule(
    { url, applicationName: name, poolSize, commit },
    logger,
    isNamed ? commit : undefined,
  );
}

/** Shows the pool of a database in the metrics, by the kind of its commits. */
function poolMetrics(commit: DatabaseOptions['commit'], isNamed: boolean): Provider {
  return {
    provide: `pool ${commit}`,
    inject: [getEntityManagerToken(isNamed ? commit : undefined)],
    useFactory: (db: EntityManager) => exposePool(commit, () => poolUse(db)),
  };
}

/** Joins the fleet before the worker starts, so that its share of each limit is known from its first job. */
function fleetProvider(name: string): Provider {
  return {
    provide: Fleet,
    inject: [EntityManager, Logger],
    useFactory: async (db: EntityManager, logger: Logger): Promise<Fleet> => {
      const clocks = new ClockWatch(logger);
      const fleet = new Fleet({
        beat: (id) => beat(db, name, id, clocks.ask()),
        leave: (id) => leave(db, name, id),
      });
      await whileAway(() => fleet.beat(), { logger });
      return fleet;
    },
  };
}
