import pg from 'pg';
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
import { STATEMENT_LIMITS, type SessionKind, sessionSettings } from './session-settings.ts';
import { type PingLine, SilenceWatch } from './silence-watch.ts';
import { StatementClient } from './statement-client.ts';

export interface DatabaseOptions extends SessionKind {
  /** `postgres://user:password@host:5432/name`; of comma-separated hosts the primary is used. */
  url: string;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  poolSize: number;
  /** Keeps idle connections until they are replaced. By default they are closed after a minute. */
  keepsIdle?: boolean;
  /**
   * While Postgres answers nothing, or commits nothing, `wait`, the default, waits as long as for a slow statement;
   * `fail` breaks all connections within 2 s and refuses new ones until it answers and commits again.
   */
  whenSilent?: 'wait' | 'fail';
}

/**
 * Age at which a connection is replaced, so that a changed address or setting of the database takes effect everywhere.
 */
const MAX_LIFETIME_SECONDS = 600;

/**
 * Milliseconds after which an unused connection is closed. After the default of ten seconds, maintenance would open one
 * again for most passes that coincide: a login, and statements planned with empty caches.
 */
const IDLE_TIMEOUT_MS = 60_000;

/**
 * Milliseconds after which a connection attempt fails: PGCONNECT_TIMEOUT in seconds, as for every client of Postgres.
 */
function connectTimeoutMs(): number {
  return Number(process.env['PGCONNECT_TIMEOUT'] || 3) * 1_000;
}

/**
 * Returns the settings of a connection pool. Every wait in it is bounded by default, so that a database that hangs
 * becomes an error.
 */
export function dataSourceOptions(options: DatabaseOptions): DataSourceOptions {
  const hosts = Hosts.of(options.url);
  const failsWhenSilent = options.whenSilent === 'fail';
  return {
    type: 'postgres',
    driver: pg, // typeorm would look for it next to its own files
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
      silenceWatch: failsWhenSilent ? SilenceWatch.of(options.url, () => openLine(options)) : undefined,
      query_timeout: STATEMENT_LIMITS[options.statements ?? 'bounded'].queryMs,
      maxLifetimeSeconds: MAX_LIFETIME_SECONDS,
      idleTimeoutMillis: options.keepsIdle ? 0 : IDLE_TIMEOUT_MS,
      keepAlive: true,
      options: Object.entries(sessionSettings(options))
        .map(([name, value]) => `-c ${name}=${value}`)
        .join(' '),
    },
  };
}

/** Returns a connection for pings, and for trials of commits. A ping may take as long as an attempt to connect. */
function openLine({ url, applicationName }: DatabaseOptions): PingLine {
  return new StatementClient({
    hosts: Hosts.of(url),
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs(),
    query_timeout: connectTimeoutMs(),
    options: '-c synchronous_commit=on',
  });
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
