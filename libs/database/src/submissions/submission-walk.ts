import type { Channel } from '@signalbox/domain/channel';
import { MAX_UUID, firstIdAt } from '@signalbox/domain/id-time';
import { sql } from '../core/sql.ts';

/** A filter of an account's submissions: those that match all its fields. */
export interface SubmissionFilter {
  channel?: Channel | undefined;
  campaign?: string | undefined;
  clientRef?: string | undefined;
  sender?: string | undefined;
  /** Accepted at this moment or later. */
  from?: Date | undefined;
  /** Accepted before this moment. */
  to?: Date | undefined;
}

/** The condition of a filter, $4 to $9, on a submission `s`. */
export const SUBMISSION_MATCHES = sql`
  ($4::text IS NULL OR s.campaign = $4)
  AND ($5::text IS NULL OR s.client_ref = $5)
  AND ($6::text IS NULL OR s.sender = $6)
  AND ($7::text IS NULL OR s.channel = $7)
  AND s.accepted_at >= $8::timestamptz
  AND s.accepted_at < $9::timestamptz`;

/** $4 to $9. */
export function matchValues({ campaign, clientRef, sender, channel, from, to }: SubmissionFilter): unknown[] {
  const texts = [campaign, clientRef, sender, channel].map((value) => value ?? null);
  return [...texts, from?.toISOString() ?? '-infinity', to?.toISOString() ?? 'infinity'];
}

/**
 * Walks submissions of the account $1 from below the id $3 down to $2: those of a campaign or a reference, or all. The
 * range and the order name every column of the index to walk, so that no other serves.
 *
 * @param limit the parameter or number of submissions to read at most
 */
export function submissionWalk({ campaign, clientRef }: SubmissionFilter, limit: string): string {
  if (clientRef !== undefined) return walk('client_ref', '$5::text', limit);
  return campaign === undefined ? WALK_OF_ACCOUNT(limit) : walk('campaign', '$4::text', limit);
}

const WALK_OF_ACCOUNT = (limit: string): string => sql`
  SELECT *
    FROM submission
   WHERE (account_id, id) >= ($1::uuid, $2::uuid)
     AND (account_id, id) < ($1::uuid, $3::uuid)
   ORDER BY account_id DESC, id DESC
   LIMIT ${limit}`;

const walk = (column: string, value: string, limit: string): string => sql`
  SELECT *
    FROM submission
   WHERE (account_id, ${column}, id) >= ($1::uuid, ${value}, $2::uuid)
     AND (account_id, ${column}, id) < ($1::uuid, ${value}, $3::uuid)
     AND ${column} IS NOT NULL
   ORDER BY account_id DESC, ${column} DESC, id DESC
   LIMIT ${limit}`;

/** The order of that walk, for its submissions `s`: a statement that sorts by it reads no further than its limit. */
export function walkOrder({ campaign, clientRef }: SubmissionFilter): string {
  if (clientRef !== undefined) return 's.account_id DESC, s.client_ref DESC, s.id DESC';
  return campaign === undefined
    ? 's.account_id DESC, s.id DESC'
    : 's.account_id DESC, s.campaign DESC, s.id DESC';
}

/** An id is made before its call is accepted, by a clock that may be a little off. */
const ID_MAY_BE_EARLIER_MS = 60_000;
const ID_MAY_BE_LATER_MS = 5_000;

/** The range of ids of submissions that were accepted from a moment on, and before another. */
export function idRange({ from, to }: SubmissionFilter): [lowest: string, before: string] {
  return [
    firstIdAt(from === undefined ? 0 : from.getTime() - ID_MAY_BE_EARLIER_MS),
    to === undefined ? MAX_UUID : firstIdAt(to.getTime() + ID_MAY_BE_LATER_MS),
  ];
}
