import type { MigrationInterface, QueryRunner } from 'typeorm';

const PENDING = `status = 'PENDING' AND held_until IS NULL`;

/** [name, table and columns with the predicate] */
const AFTER = [
  ['message_pending', `message (lane, claimed_until) WHERE ${PENDING} AND starts < 10`],
  ['message_parked', `message (submission_id, n) WHERE ${PENDING} AND starts >= 10`],
  [
    'message_unreported',
    `message (gateway, claimed_until) WHERE status = 'SENT' AND held_until IS NULL AND claimed_until < 'infinity'`,
  ],
  ['message_event_open', `message_event (id) WHERE settled_at IS NULL AND starts < 10`],
  ['message_event_parked', `message_event (id) WHERE settled_at IS NULL AND starts >= 10`],
] as const;

const BEFORE = [
  ['message_open', `message (submission_id, n) WHERE status IN ('PENDING', 'SENT') AND held_until IS NULL`],
  ['message_event_unsettled', `message_event (id) WHERE settled_at IS NULL`],
] as const;

/**
 * Indexes the rows of the rescue duties by when they are due, instead of all open rows by their key. The indexes are
 * built while the service runs, which no transaction allows; a build that was interrupted begins again.
 */
export class DueMessages1796200100000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await replaceIndexes(runner, BEFORE, AFTER);
  }

  async down(runner: QueryRunner): Promise<void> {
    await replaceIndexes(runner, AFTER, BEFORE);
  }
}

type Indexes = readonly (readonly [name: string, definition: string])[];

async function replaceIndexes(runner: QueryRunner, before: Indexes, after: Indexes): Promise<void> {
  // a build waits for all running transactions, and nothing queues behind that wait
  await runner.query('SET lock_timeout = 0');
  for (const [name, definition] of after) {
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await runner.query(`CREATE INDEX CONCURRENTLY ${name} ON ${definition}`);
  }
  for (const [name] of before) await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  await runner.query('RESET lock_timeout');
}
