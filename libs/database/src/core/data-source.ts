import { DataSource, type DataSourceOptions } from 'typeorm';
import { Account } from '../accounts/account.entity.ts';
import { ApiKey } from '../accounts/api-key.entity.ts';
import { ChatAccount, ChatSender, SenderAssignment } from '../chat/chat-account.entity.ts';
import { SmsTemplate } from '../templates/sms-template.entity.ts';
import { VerificationConfig } from '../verify/verification-config.entity.ts';
import { VerificationPolicy } from '../verify/verification-policy.entity.ts';
import { Webhook } from '../webhooks/webhook.entity.ts';
import * as migrations from '../migrations/list.ts';
import { Hosts } from './hosts.ts';
import { StatementClient } from './statement-client.ts';

export interface DatabaseOptions {
  /** `postgres://user:password@host:5432/name`; of several hosts with commas between them, the primary is used. */
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
  /**
   * `bounded`, the default, fails a statement after 10 s. `long` lets it run, as building an index on a large table
   * needs, but gives up waiting for a lock sooner, because everything else queues behind that wait.
   */
  statements?: 'bounded' | 'long';
}

/**
 * Age at which a connection is replaced, so that a changed address or setting of the database takes effect everywhere.
 */
const MAX_LIFETIME_SECONDS = 600;

/** Milliseconds after which a connection attempt fails: PGCONNECT_TIMEOUT in seconds, as for every client of Postgres. */
function connectTimeoutMs(): number {
  return Number(process.env['PGCONNECT_TIMEOUT'] || 3) * 1_000;
}

/** The limits of a statement. `queryMs` bounds the client's wait; 0 is no limit. */
const STATEMENT_LIMITS = {
  bounded: { statement: '10s', lock: '5s', queryMs: 15_000 },
  long: { statement: '0', lock: '2s', queryMs: 0 },
};

/**
 * Returns the settings of a connection pool. Every wait in it is bounded by default, so that a database that hangs
 * becomes an error.
 */
export function dataSourceOptions(options: DatabaseOptions): DataSourceOptions {
  const hosts = Hosts.of(options.url);
  return {
    type: 'postgres',
    url: hosts.current,
    applicationName: options.applicationName,
    poolSize: options.poolSize,
    connectTimeoutMS: connectTimeoutMs(),
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
      verify: StatementClient.verify,
      hosts,
      query_timeout: STATEMENT_LIMITS[options.statements ?? 'bounded'].queryMs,
      maxLifetimeSeconds: MAX_LIFETIME_SECONDS,
      keepAlive: true,
      options: sessionSettings(options),
    },
  };
}

/**
 * Allows only plans that look up a batch of keys in an index, as every statement of the hot path should. Plans are kept
 * (see StatementClient), and a plan made while the tables were empty would still read whole tables once they hold
 * millions of rows.
 */
function sessionSettings({ commit, plans = 'kept', statements = 'bounded' }: DatabaseOptions): string {
  const limits = STATEMENT_LIMITS[statements];
  const settings = {
    statement_timeout: limits.statement,
    lock_timeout: limits.lock,
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

/** Opens a connection pool. @throws when none of the hosts is a primary that answers */
export async function openDataSource(options: DatabaseOptions): Promise<DataSource> {
  for (let others = Hosts.of(options.url).count - 1; ; others -= 1) {
    try {
      return await new DataSource(dataSourceOptions(options)).initialize();
    } catch (error) {
      if (others === 0) throw error;
    }
  }
}
