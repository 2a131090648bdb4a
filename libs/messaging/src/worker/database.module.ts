import type { DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { type DatabaseOptions, dataSourceOptions } from '@signalbox/database/core/data-source';
import type { Logger } from '@signalbox/runtime/logger';
import { DataSource } from 'typeorm';
import { whileAway } from './while-away.ts';

/**
 * Opens a database of a process, whose first connection waits while Postgres does not answer.
 *
 * @param name that of its EntityManager; none for the default
 */
export function databaseModule(options: DatabaseOptions, logger: Logger, name?: string): DynamicModule {
  return TypeOrmModule.forRootAsync({
    ...(name !== undefined && { name }),
    useFactory: () => ({ ...dataSourceOptions(options), toRetry: () => false }),
    dataSourceFactory: (settings) => whileAway(() => new DataSource(settings!).initialize(), { logger }),
  });
}
