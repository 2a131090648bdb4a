import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndexes, dropIndexes } from './indexes.ts';

const WAKE = [['orphan_report_wake', 'orphan_report (gateway, wake_id)']] as const;
const WAKE_OF_RECIPIENT = [
  [
    'orphan_report_wake_of_recipient',
    `orphan_report (gateway, wake_id, (COALESCE(right(recipient, 7), '')))`,
  ],
] as const;

const ONCE = 'gateway_message_id_once';
const ONCE_COLUMNS = '(gateway, gateway_message_id, recipient, submission_id, n, segment, day)';

/**
 * Lets gateways give one id to any number of messages. The map is read by id and recipient, and so are the orphans that
 * an id wakes. Equal reports of one recipient are kept each, since they may be about different messages; an inbound
 * message is still kept once. All indexes are built while the service runs.
 */
export class EqualIds1796760000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndexes(runner, WAKE_OF_RECIPIENT);
    await dropIndexes(runner, WAKE);
    await runner.query('SET lock_timeout = 0');
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS orphan_report_inbound_once');
    await runner.query(
      `CREATE UNIQUE INDEX CONCURRENTLY orphan_report_inbound_once
           ON orphan_report (gateway, gateway_message_id, COALESCE(recipient, ''))
        WHERE kind = 'inbound'`,
    );
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS orphan_report_once');
    await runner.query(
      `CREATE UNIQUE INDEX IF NOT EXISTS ${ONCE} ON ONLY gateway_message_id ${ONCE_COLUMNS}`,
    );
    for (const partition of await listWithoutIndex(runner)) await indexPartition(runner, partition);
    await runner.query('RESET lock_timeout');
    await runner.query(`ALTER TABLE gateway_message_id DROP CONSTRAINT IF EXISTS gateway_message_id_pkey`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE gateway_message_id
         ADD CONSTRAINT gateway_message_id_pkey
             PRIMARY KEY (gateway, gateway_message_id, submission_id, n, segment, day)`,
    );
    await runner.query(`DROP INDEX ${ONCE}`);
    await runner.query(
      `DELETE FROM orphan_report a
        USING orphan_report b
        WHERE a.id > b.id
          AND (a.gateway, a.gateway_message_id, a.kind, COALESCE(a.status, ''), COALESCE(a.recipient, ''))
            = (b.gateway, b.gateway_message_id, b.kind, COALESCE(b.status, ''), COALESCE(b.recipient, ''))`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX orphan_report_once
           ON orphan_report (gateway, gateway_message_id, kind, COALESCE(status, ''), COALESCE(recipient, ''))`,
    );
    await runner.query('DROP INDEX orphan_report_inbound_once');
    await buildIndexes(runner, WAKE);
    await dropIndexes(runner, WAKE_OF_RECIPIENT);
  }
}

/** Lists the partitions from before the index; one that a worker makes meanwhile has it. */
async function listWithoutIndex(runner: QueryRunner): Promise<string[]> {
  const rows: { name: string }[] = await runner.query(
    `SELECT c.relname AS name
       FROM pg_inherits t
       JOIN pg_class c ON c.oid = t.inhrelid
      WHERE t.inhparent = 'gateway_message_id'::regclass
        AND NOT EXISTS (
              SELECT
                FROM pg_inherits x
                JOIN pg_index i ON i.indexrelid = x.inhrelid
               WHERE x.inhparent = '${ONCE}'::regclass
                 AND i.indrelid = c.oid
            )`,
  );
  return rows.map(({ name }) => name);
}

async function indexPartition(runner: QueryRunner, partition: string): Promise<void> {
  await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${partition}_once`);
  await runner.query(`CREATE UNIQUE INDEX CONCURRENTLY ${partition}_once ON ${partition} ${ONCE_COLUMNS}`);
  await runner.query(`ALTER INDEX ${ONCE} ATTACH PARTITION ${partition}_once`);
}
