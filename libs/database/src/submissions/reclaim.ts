import { FAN_OUT_CHUNK, MAX_STARTS } from '@signalbox/domain/limits';
import type { QuietRule } from '@signalbox/domain/sms/quiet-hours';
import type { EntityManager } from 'typeorm';
import { ENDED_COLUMNS, ENDED_VALUES, ENDING_OF_SUBMISSION, endingOf, reportEndings } from './endings.ts';
import { quietColumns, quietNow, quietUntil } from './quiet.ts';
import type { SmsContent } from './submissions.ts';

/** A message taken up again after its first worker let go of it. */
export interface ReclaimedMessage {
  submissionId: string;
  accountId: string;
  n: number;
  recipient: string;
  /** Which start this is; the first was 1. */
  attempt: number;
  sender: string;
  content: SmsContent;
  sealed: Buffer | null;
  /** The recipient's values; null when the text holds none. */
  custom: string[] | null;
}

/** What was taken up again: SMS, or `ClaimedChat` of the lanes of chat-app messages. */
export interface Reclaimed<Message = ReclaimedMessage> {
  messages: Message[];
  /** Reports of messages that ended instead, to be rung for. */
  reportIds: string[];
}

/** A message that is to be taken up may end here, because its submission was cancelled or has expired, or be held (again) by quiet hours. */
const TAKE_UP = `
  judged AS MATERIALIZED (
    SELECT free.*, CASE WHEN ending IS NULL THEN ${quietUntil('recipient')} END AS quiet_until FROM free
  ), ended AS (
    UPDATE message m SET (${ENDED_COLUMNS}) = (${ENDED_VALUES}), held_until = NULL
      FROM judged j WHERE m.submission_id = j.submission_id AND m.n = j.n AND j.ending IS NOT NULL
    RETURNING m.submission_id, m.n, m.status, m.err_code, m.status_description, m.moved_by
  ), reported AS (${reportEndings('ended')}
  ), held AS (
    UPDATE message m SET held_until = j.quiet_until, claimed_until = j.quiet_until
      FROM judged j WHERE m.submission_id = j.submission_id AND m.n = j.n AND j.quiet_until IS NOT NULL
  ), resting AS (
    UPDATE submission s
       SET held_until = LEAST(s.held_until, j.quiet_until), fanned_out_at = NULL,
           waits = s.waits OR s.fanned_upto = cardinality(s.recipients),
           due_at = CASE WHEN s.fanned_upto < cardinality(s.recipients) THEN s.due_at
                         WHEN s.waits THEN LEAST(s.due_at, j.quiet_until) ELSE LEAST(j.quiet_until, s.expires_at) END
      FROM (SELECT submission_id, min(quiet_until) AS quiet_until FROM judged WHERE quiet_until IS NOT NULL GROUP BY submission_id) AS j
     WHERE s.id = j.submission_id
  ), claimed AS (
    UPDATE message m SET claimed_until = now() + make_interval(secs => $3), starts = m.starts + 1, held_until = NULL
      FROM judged j JOIN submission s ON s.id = j.submission_id
     WHERE m.submission_id = j.submission_id AND m.n = j.n AND j.ending IS NULL AND j.quiet_until IS NULL
    RETURNING m.submission_id AS "submissionId", m.account_id AS "accountId", m.n, m.recipient, m.starts + m.throttles AS attempt, s.sender, s.kind, s.content, s.sealed,
              s.custom -> (m.n - 1) AS custom
  )
  SELECT claimed.*, r.ids AS "reportIds" FROM (SELECT array_agg(id) AS ids FROM reported) AS r LEFT JOIN claimed ON true`;

/**
 * Claims messages of these submissions that are still pending and that no worker holds: those a gateway throttled, and those
 * of a worker that died. One that was started MAX_STARTS times stays parked.
 *
 * @param quiet the quiet hours of their lane
 * @returns of at most FAN_OUT_CHUNK messages those that go on, claimed for `leaseSeconds`
 */
export async function reclaim<Message = ReclaimedMessage>(
  db: EntityManager,
  ids: string[],
  leaseSeconds: number,
  quiet: readonly QuietRule[] = [],
): Promise<Reclaimed<Message>> {
  return toReclaimed(
    await db.query(
      `WITH ${quietNow(4)}, free AS MATERIALIZED (
         SELECT f.*, ${endingOf('s', ENDING_OF_SUBMISSION, 'f.recipient')} AS ending
           FROM unnest($1::uuid[]) AS k(id) JOIN submission s ON s.id = k.id
          CROSS JOIN LATERAL (
            SELECT m.submission_id, m.n, m.recipient FROM message m
             WHERE m.submission_id = s.id AND m.status = 'PENDING' AND m.held_until IS NULL AND m.claimed_until <= now() AND m.starts < ${MAX_STARTS}
             ORDER BY m.n LIMIT $2 FOR UPDATE SKIP LOCKED) AS f
          LIMIT $2
       ), ${TAKE_UP}`,
      [ids, FAN_OUT_CHUNK, leaseSeconds, ...quietColumns(quiet)],
    ),
  );
}

/** Claims held messages whose quiet hours are over, or that are to end, so many of each submission. */
export async function release(
  db: EntityManager,
  releases: readonly { id: string; take: number }[],
  leaseSeconds: number,
  quiet: readonly QuietRule[],
): Promise<Reclaimed> {
  return toReclaimed(
    await db.query(
      `WITH ${quietNow(4)}, free AS MATERIALIZED (
         SELECT f.*, ${endingOf('s', ENDING_OF_SUBMISSION, 'f.recipient')} AS ending
           FROM unnest($1::uuid[], $2::integer[]) AS k(id, take) JOIN submission s ON s.id = k.id
          CROSS JOIN LATERAL (
            SELECT m.submission_id, m.n, m.recipient FROM message m
             WHERE m.submission_id = s.id AND m.held_until IS NOT NULL
               AND (m.held_until <= now() OR s.cancelled_at IS NOT NULL OR s.expires_at <= now())
             ORDER BY m.held_until, m.n LIMIT k.take FOR UPDATE SKIP LOCKED) AS f
       ), ${TAKE_UP}`,
      [releases.map(({ id }) => id), releases.map(({ take }) => take), leaseSeconds, ...quietColumns(quiet)],
    ),
  );
}

/** The statement answers with one row at least, which holds no message when there is none. */
function toReclaimed<Message>(
  rows: (Message & { submissionId: string | null; reportIds: string[] | null })[],
): Reclaimed<Message> {
  return { messages: rows.filter((row) => row.submissionId !== null), reportIds: rows[0]?.reportIds ?? [] };
}
