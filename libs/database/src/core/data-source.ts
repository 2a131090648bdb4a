import { DataSource, type DataSourceOptions } from 'typeorm';
import { Account } from '../accounts/account.entity.ts';
import { ApiKey } from '../accounts/api-key.entity.ts';
import { ChatAccount, ChatSender } from '../chat/chat-account.entity.ts';
import { SmsTemplate } from '../templates/sms-template.entity.ts';
import { VerificationConfig } from '../verify/verification-config.entity.ts';
import { VerificationPolicy } from '../verify/verification-policy.entity.ts';
import { Webhook } from '../webhooks/webhook.entity.ts';
import { Foundation1795000000000 } from '../migrations/1795000000000-foundation.ts';
import { LiveWorkers1795050000000 } from '../migrations/1795050000000-live-workers.ts';
import { SmsContent1795100000000 } from '../migrations/1795100000000-sms-content.ts';
import { SmsDispatch1795200000000 } from '../migrations/1795200000000-sms-dispatch.ts';
import { NoLostSubmissions1795210000000 } from '../migrations/1795210000000-no-lost-submissions.ts';
import { Lookups1795300000000 } from '../migrations/1795300000000-lookups.ts';
import { Operators1795310000000 } from '../migrations/1795310000000-operators.ts';
import { OptOuts1795320000000 } from '../migrations/1795320000000-opt-outs.ts';
import { Phones1795330000000 } from '../migrations/1795330000000-phones.ts';
import { WebhookSettings1795400000000 } from '../migrations/1795400000000-webhook-settings.ts';
import { Endpoints1795500000000 } from '../migrations/1795500000000-endpoints.ts';
import { Replays1795500100000 } from '../migrations/1795500100000-replays.ts';
import { ReplayEnd1795500200000 } from '../migrations/1795500200000-replay-end.ts';
import { Verification1795600000000 } from '../migrations/1795600000000-verification.ts';
import { ChatAccounts1795700000000 } from '../migrations/1795700000000-chat-accounts.ts';
import { Templates1795710000000 } from '../migrations/1795710000000-templates.ts';
import { Media1795720000000 } from '../migrations/1795720000000-media.ts';
import { ChatMessages1795800000000 } from '../migrations/1795800000000-chat-messages.ts';
import { LeftSecrets1795810000000 } from '../migrations/1795810000000-left-secrets.ts';
import { ChatEvents1795840000000 } from '../migrations/1795840000000-chat-events.ts';
import { Throttles1795850000000 } from '../migrations/1795850000000-throttles.ts';
import { VerificationFlow1795900000000 } from '../migrations/1795900000000-verification-flow.ts';
import { SlidingQuotas1795900100000 } from '../migrations/1795900100000-sliding-quotas.ts';
import { ReplayLimit1795950000000 } from '../migrations/1795950000000-replay-limit.ts';
import { StatementClient } from './statement-client.ts';

export interface DatabaseOptions {
  url: string;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  poolSize: number;
  /**
   * `durable` waits for the disk at each commit: whenever somebody outside is told "accepted".
   * `repeatable` does not: steps of a worker that can be taken again from rows that are already safe.
   */
  commit: 'durable' | 'repeatable';
  /**
   * `kept` unless told: statements whose best plan is the same whatever their values. `fresh` for searches, whose filters decide which
   * index is the right one.
   */
  plans?: 'kept' | 'fresh';
}

/** The settings of a connection pool; every wait in it is bounded, so that a database that hangs becomes an error. */
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
      SmsTemplate,
      VerificationConfig,
      VerificationPolicy,
      Webhook,
    ],
    migrations: [
      Foundation1795000000000,
      LiveWorkers1795050000000,
      SmsContent1795100000000,
      SmsDispatch1795200000000,
      NoLostSubmissions1795210000000,
      Lookups1795300000000,
      Operators1795310000000,
      OptOuts1795320000000,
      Phones1795330000000,
      WebhookSettings1795400000000,
      Endpoints1795500000000,
      Replays1795500100000,
      ReplayEnd1795500200000,
      Verification1795600000000,
      ChatAccounts1795700000000,
      Templates1795710000000,
      Media1795720000000,
      ChatMessages1795800000000,
      LeftSecrets1795810000000,
      ChatEvents1795840000000,
      Throttles1795850000000,
      VerificationFlow1795900000000,
      SlidingQuotas1795900100000,
      ReplayLimit1795950000000,
    ],
    migrationsTableName: 'migration',
    logging: false,
    poolErrorHandler: () => undefined, // the statement that meets the broken connection tells of it
    extra: {
      Client: StatementClient,
      query_timeout: 15_000,
      keepAlive: true,
      options: sessionSettings(options),
    },
  };
}

/**
 * Every statement of the hot path takes a batch of keys to an index. Plans are kept (see StatementClient), and one that was made
 * while the tables were empty would go on reading whole tables when they hold millions: so the other ways are closed.
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

/** An open pool. */
export function openDataSource(options: DatabaseOptions): Promise<DataSource> {
  return new DataSource(dataSourceOptions(options)).initialize();
}
