import { DataSource, type DataSourceOptions } from 'typeorm';
import { Account } from '../accounts/account.entity.ts';
import { ApiKey } from '../accounts/api-key.entity.ts';
import { ChatAccount, ChatSender, SenderAssignment } from '../chat/chat-account.entity.ts';
import { SmsTemplate } from '../templates/sms-template.entity.ts';
import { VerificationConfig } from '../verify/verification-config.entity.ts';
import { VerificationPolicy } from '../verify/verification-policy.entity.ts';
import { Webhook } from '../webhooks/webhook.entity.ts';
import * as migrations from '../migrations/list.ts';
import { StatementClient } from './statement-client.ts';

export interface DatabaseOptions {
  url: string;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  poolSize: number;
  /**
   * `durable` waits for the disk at each commit, as every answer "accepted" needs. `repeatable` does not: it serves the
   * steps of a worker, which are repeated from rows that are already safe.
   */
  commit: 'durable' | 'repeatable';
  /**
   * `kept`, the default, plans a statement once: its best plan is the same for all values. `fresh` plans each call: the
   * filters of a search decide which index serves it.
   */
  plans?: 'kept' | 'fresh';
}

/** Age at which a connection is replaced, so that a changed address or setting of the database takes effect everywhere. */
const MAX_LIFETIME_SECONDS = 600;

/** Returns the settings of a connection pool. Every wait in it is bounded, so that a database that hangs becomes an error. */
export function dataSourceOptions(options: DatabaseOptions): DataSourceOptions {
  return {
    type: 'postgres',
    url: options.url,
    applicationName: options.applicationName,
    poolSize: options.poolSize,
    connectTimeoutMS: 3_000,
    entities: [
      Account,
      ApiKey,
      ChatAccount,
      ChatSender,
      SenderAssignment,
      SmsTemplate,
      VerificationConfig,
      VerificationPolicy,
      Webhook,
    ],
    migrations: Object.values(migrations),
    migrationsTableName: 'migration',
    logging: false,
    poolErrorHandler: () => undefined, // the statement on the broken connection reports it
    extra: {
      Client: StatementClient,
      query_timeout: 15_000,
      maxLifetimeSeconds: MAX_LIFETIME_SECONDS,
      keepAlive: true,
      options: sessionSettings(options),
    },
  };
}

/**
 * Allows only plans that look up a batch of keys in an index, as every statement of the hot path should. Plans are kept (see
 * StatementClient), and a plan made while the tables were empty would still read whole tables once they hold millions of rows.
 */
function sessionSettings({ commit, plans = 'kept' }: DatabaseOptions): string {
  const settings = {
    statement_timeout: '10s',
    lock_timeout: '5s',
    synchronous_commit: commit === 'durable' ? 'on' : 'off',
    random_page_cost: '1.1',
    enable_seqscan: 'off',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
    plan_cache_mode: plans === 'kept' ? 'auto' : 'force_custom_plan',
  };
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

/** Opens a connection pool. */
export function openDataSource(options: DatabaseOptions): Promise<DataSource> {
  return new DataSource(dataSourceOptions(options)).initialize();
}
