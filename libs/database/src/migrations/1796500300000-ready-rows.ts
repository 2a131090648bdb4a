import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndexes, dropIndexes } from './indexes.ts';

/** [name, table and columns with the predicate] */
const AFTER = [
  ['submission_unlisted', `submission (channel, id) WHERE NOT listed AND NOT waits`],
  ['submission_waiting', `submission (account_id, id) WHERE waits`],
  ['submission_secret', `submission (id) WHERE sealed IS NOT NULL AND NOT waits`],
] as const;

const NOT_FANNED_OUT = 'fanned_out_at IS NULL';

const BEFORE = [
  [
    'submission_ready',
    `submission (lane, account_id, id) WHERE channel = 'sms' AND ${NOT_FANNED_OUT} AND NOT waits`,
  ],
  [
    'chat_submission_ready',
    `submission (lane, sender, id) WHERE channel = 'chatapp' AND ${NOT_FANNED_OUT} AND NOT waits`,
  ],
  ['submission_not_fanned_out', `submission (account_id, id) WHERE ${NOT_FANNED_OUT}`],
  ['submission_sealed', `submission (fanned_out_at) WHERE sealed IS NOT NULL AND fanned_out_at IS NOT NULL`],
] as const;

/**
 * Lists the ready submissions in their tables, so that no fan-out changes an index of submission. All of it runs while
 * the service runs, and may be interrupted; a row too many is deleted by the first that reads it.
 */
export class ReadyRows1796500300000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndexes(runner, AFTER);
    await runner.query(
      `INSERT INTO ready_sms (lane, account_id, id)
       SELECT lane, account_id, id
         FROM submission
        WHERE channel = 'sms' AND ${NOT_FANNED_OUT} AND NOT waits
       ON CONFLICT DO NOTHING`,
    );
    await runner.query(
      `INSERT INTO ready_chat (lane, sender, id, account_id)
       SELECT lane, sender, id, account_id
         FROM submission
        WHERE channel = 'chatapp' AND ${NOT_FANNED_OUT} AND NOT waits
       ON CONFLICT DO NOTHING`,
    );
    await markWaiting(runner);
    await dropIndexes(runner, BEFORE);
  }

  async down(runner: QueryRunner): Promise<void> {
    await buildIndexes(runner, BEFORE);
    await dropIndexes(runner, AFTER);
  }
}

/** Marks the submissions that wait as not listed, a few at a time. */
async function markWaiting(runner: QueryRunner): Promise<void> {
  for (;;) {
    const [, marked]: [unknown[], number] = await runner.query(
      `UPDATE submission
          SET listed = false
        WHERE id IN (SELECT id FROM submission WHERE waits AND listed LIMIT 5000 FOR UPDATE SKIP LOCKED)`,
    );
    if (marked === 0) return;
  }
}
