import type { MigrationInterface, QueryRunner } from 'typeorm';

const COLUMNS = `
  channel text NOT NULL,
  gateway text NOT NULL,
  sender text NOT NULL,
  outcome text NOT NULL,
  err_code text NOT NULL,
  latency smallint NOT NULL,
  messages bigint NOT NULL,
  credits bigint NOT NULL`;

const OPTIONS = 'WITH (fillfactor = 70)';

/** Adds statistics of messages: by minute, by quarter of an hour and by day, and the minutes that are still built. */
export class MessageStatistics1796720000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE message_stat_minute (
         at timestamptz NOT NULL,
         account_id uuid NOT NULL,
         ${COLUMNS},
         CONSTRAINT message_stat_minute_pkey
           PRIMARY KEY (at, account_id, channel, gateway, sender, outcome, err_code, latency)
       ) ${OPTIONS}`,
    );
    for (const span of ['quarter', 'day'])
      await runner.query(
        `CREATE TABLE message_stat_${span} (
           account_id uuid NOT NULL,
           at timestamptz NOT NULL,
           ${COLUMNS},
           CONSTRAINT message_stat_${span}_pkey
             PRIMARY KEY (account_id, at, channel, gateway, sender, outcome, err_code, latency)
         ) ${OPTIONS}`,
      );
    await runner.query(
      `CREATE TABLE message_stat_build (
         minute timestamptz CONSTRAINT message_stat_build_pkey PRIMARY KEY,
         due_at timestamptz,
         built_at timestamptz,
         barrier xid8
       ) ${OPTIONS}`,
    );
    await runner.query(
      `CREATE INDEX message_stat_build_due ON message_stat_build (minute, due_at) WHERE due_at IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `DROP TABLE message_stat_build, message_stat_day, message_stat_quarter, message_stat_minute`,
    );
  }
}
