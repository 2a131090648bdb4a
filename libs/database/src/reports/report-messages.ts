import type { EntityManager } from 'typeorm';

/** Lists the messages of these reports. A report that does not exist has none. */
export function listReportMessages(
  db: EntityManager,
  ids: readonly string[],
): Promise<{ id: string; submissionId: string; n: number }[]> {
  return db.query(
    `SELECT id, submission_id AS "submissionId", n
       FROM message_event
      WHERE id = ANY($1::uuid[])`,
    [ids],
  );
}
