import {
  type BeforeApplicationShutdown,
  type DynamicModule,
  Global,
  Module,
  type Provider,
} from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { poolUse } from '@signalbox/database/core/pool-use';
import { databaseModule } from '@signalbox/messaging/worker/database.module';
import { SecretsKeyCheck } from '@signalbox/messaging/worker/secrets-key-check';
import { ALL_QUEUES } from '@signalbox/queues/definitions';
import { Queues } from '@signalbox/queues/open-queues';
import { AccountThrottle } from '@signalbox/runtime/account-throttle';
import { Logger } from '@signalbox/runtime/logger';
import { exposePool } from '@signalbox/runtime/pool-metrics';
import { Sealer } from '@signalbox/runtime/seal';
import { EntityManager } from 'typeorm';
import { ApiConfig } from './config.ts';
import { READ_POOL_SIZE } from './http/costly-calls.ts';
import { Creations } from './http/creations.ts';
import { Cursors } from './http/cursor.ts';
import { IdempotencyKeys } from './http/idempotency.ts';
import { ClockCheck } from './ops/clock-check.ts';

/**
 * Data source for searches and exports. It has its own connections, so that they never delay the acceptance of
 * messages.
 */
export const SEARCHES = 'searches';

/**
 * Data source for what every accepted message needs: the lookup of its key, and the statement that stores it. Other
 * calls, however many wait for a lock or the disk, leave its connections free.
 */
export const ACCEPTS = 'accepts';

/** One connection for lookups of keys, and one for small sends: each runs one statement at a time. */
const ACCEPT_POOL_SIZE = 2;

/**
 * Shares with every feature: configuration, logger, data sources, queues, and the secrets of cursors, keys and sealed
 * values.
 */
@Global()
@Module({})
export class CoreModule implements BeforeApplicationShutdown {
  constructor(
    private readonly queues: Queues,
    db: EntityManager,
    @InjectEntityManager(SEARCHES) searches: EntityManager,
    @InjectEntityManager(ACCEPTS) accepts: EntityManager,
  ) {
    exposePool('durable', () => poolUse(db));
    exposePool('accepts', () => poolUse(accepts));
    exposePool('searches', () => poolUse(searches));
  }

  static with(config: ApiConfig, logger: Logger): DynamicModule {
    const providers: Provider[] = [
      { provide: ApiConfig, useValue: config },
      { provide: Logger, useValue: logger },
      { provide: Sealer, useValue: new Sealer(...config.secretKeys) },
      { provide: AccountThrottle, useValue: new AccountThrottle() },
      { provide: Cursors, useValue: new Cursors(...config.secretKeys) },
      { provide: IdempotencyKeys, useValue: new IdempotencyKeys(...config.secretKeys) },
      { provide: Queues, useFactory: () => openQueues(config, logger) },
      Creations,
      SecretsKeyCheck,
      ClockCheck,
    ];
    return { module: CoreModule, imports: dataSources(config, logger), providers, exports: providers };
  }

  /** Runs after every service has stored what it accepted. */
  beforeApplicationShutdown(): Promise<void> {
    return this.queues.close();
  }
}

function dataSources(config: ApiConfig, logger: Logger): DynamicModule[] {
  const main = {
    url: config.DATABASE_URL,
    applicationName: 'api',
    poolSize: config.DATABASE_POOL_SIZE,
    commit: 'durable' as const,
    whenSilent: 'fail' as const,
  };
  const searches = { applicationName: 'api-searches', poolSize: READ_POOL_SIZE, plans: 'fresh' } as const;
  const accepts = { applicationName: 'api-accepts', poolSize: ACCEPT_POOL_SIZE, keepsIdle: true };
  return [
    databaseModule(main, logger),
    databaseModule({ ...main, ...searches }, logger, SEARCHES),
    databaseModule({ ...main, ...accepts }, logger, ACCEPTS),
  ];
}

function openQueues(config: ApiConfig, logger: Logger): Promise<Queues> {
  // all of them: those that the API enqueues to, and those that operators look at
  return Queues.open(ALL_QUEUES, { url: config.QUEUE_URL, prefix: config.QUEUE_PREFIX }, logger);
}
