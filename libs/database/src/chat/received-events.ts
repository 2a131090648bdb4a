import { sql } from '../core/sql.ts';

/**
 * The end of a statement that stores inbound messages: adds an event of status RECEIVED for each row of `stored`, and
 * returns a StoredInbounds. Rows of `given` without an account are not stored.
 */
export const RECEIVED_EVENTS = sql`
  event AS (
    INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, reported_at)
    SELECT uuidv7(), gateway, id, 0, 'RECEIVED', '000', 'Message received', sent_at
      FROM stored
    RETURNING id
  )
  SELECT ARRAY(SELECT id FROM event) AS "reportIds",
         ARRAY(SELECT id FROM given WHERE account_id IS NULL) AS unowned`;
