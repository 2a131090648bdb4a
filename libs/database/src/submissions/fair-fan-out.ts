import { FAN_OUT_CHUNK } from '@signalbox/domain/limits';
import type { Lane } from '@signalbox/domain/lane';
import type { QuietRule } from '@signalbox/domain/sms/quiet-hours';
import type { EntityManager } from 'typeorm';
import { FANNED_OUT, TAKEN_CHUNK, insertChunks } from './chunks.ts';
import { ENDING_OF_SUBMISSION } from './endings.ts';
import { quietColumns, quietNow, quietUntil } from './quiet.ts';
import { isReady } from './ready.ts';
import type { FannedOut } from './submissions.ts';

/** How much of a lane to take, and from whom. */
export interface FairShare {
  /** The most messages to take. Each account with something ready gets an equal part of it, one message at least. */
  budget: number;
  /** Accounts that may send no more than so much now; the others as much as their part. */
  allowances: ReadonlyMap<string, number>;
  /** Where the last round ended, so that this one begins with the next account; null for the first. */
  after: string | null;
  quiet: readonly QuietRule[];
}

/** What a round took from a lane. */
export interface FairRound {
  chunks: FannedOut[];
  /** Held messages of these submissions may go out now: so many are to be released. */
  releases: { id: string; take: number }[];
  /** Whether there may be more to take at once. */
  more: boolean;
  /** Where the next round begins. */
  after: string | null;
}

/** The most accounts that share a round; with more of them, rounds take turns. */
const MAX_ACCOUNTS = 50;

const NO_ACCOUNT = '00000000-0000-0000-0000-000000000000';

const READY = `s.lane = $1 AND ${isReady('sms')}`;

/**
 * Takes what is ready in a lane, account by account in turn: an account with a million messages gets no more of a round than one with
 * a single message could have. A submission with a rate of its own gives what it may send in half a second and waits again; one whose
 * recipients are all fanned out, but for held ones, waits for them or releases them.
 */
export async function fanOutFairly(
  db: EntityManager,
  lane: Lane,
  share: FairShare,
  leaseSeconds: number,
): Promise<FairRound> {
  const { budget, allowances, after, quiet } = share;
  const rows: (FannedOut & { release: number | null; more: boolean; next: string | null })[] = await db.query(
    STATEMENT,
    [
      lane,
      after ?? NO_ACCOUNT,
      Math.min(budget, MAX_ACCOUNTS),
      budget,
      [...allowances.keys()],
      [...allowances.values()],
      leaseSeconds,
      ...quietColumns(quiet),
    ],
  );
  return {
    chunks: rows.filter((row) => row.recipients.length > 0),
    releases: rows.flatMap(({ id, release }) => (release === null ? [] : [{ id, take: release }])),
    more: rows.some((row) => row.more) || after !== null,
    after: rows[0]?.next ?? null,
  };
}

/** $1 lane, $2 the account to begin behind, $3 accounts, $4 messages, $5 and $6 accounts with an allowance and theirs, $7 lease, $8-$11 quiet hours. */
const STATEMENT = `
  WITH RECURSIVE ${quietNow(8)}, account AS (
    (SELECT s.account_id, 1 AS place FROM submission s WHERE ${READY} AND s.account_id > $2::uuid ORDER BY s.account_id LIMIT 1)
    UNION ALL
    SELECT next.account_id, account.place + 1
      FROM account CROSS JOIN LATERAL (
        SELECT s.account_id FROM submission s WHERE ${READY} AND s.account_id > account.account_id ORDER BY s.account_id LIMIT 1) AS next
     WHERE account.place < $3::integer
  ), part AS MATERIALIZED (
    SELECT a.account_id, LEAST(GREATEST($4::integer / count(*) OVER (), 1), COALESCE(l.allowance, $4::integer))::integer AS quantum
      FROM account a LEFT JOIN unnest($5::uuid[], $6::integer[]) AS l(account_id, allowance) ON l.account_id = a.account_id
     WHERE COALESCE(l.allowance, 1) > 0
  ), picked AS MATERIALIZED (
    SELECT p.*, part.quantum
      FROM part CROSS JOIN LATERAL (
        SELECT s.id, s.account_id, s.fanned_upto, cardinality(s.recipients) AS total, s.recipients, s.held_until,
               ${ENDING_OF_SUBMISSION} AS ending, s.rate_per_second AS rate
          FROM submission s WHERE ${READY} AND s.account_id = part.account_id
         ORDER BY s.id LIMIT part.quantum FOR UPDATE SKIP LOCKED) AS p
  ), sized AS MATERIALIZED (
    SELECT *, LEAST(size, quantum - before)::integer AS take, before + size >= quantum AS uses_up
      FROM (SELECT *, sum(size) OVER (PARTITION BY account_id ORDER BY id) - size AS before
              FROM (SELECT *, LEAST(CASE WHEN fanned_upto < total THEN total - fanned_upto ELSE ${FAN_OUT_CHUNK} END,
                                    CASE WHEN ending IS NULL AND rate IS NOT NULL THEN GREATEST(rate / 2, 1) END) AS size FROM picked) AS one) AS counted
     WHERE before < quantum
  ), planned AS MATERIALIZED (
    SELECT *, LEAST(fanned_upto + take, total) AS upto,
           CASE WHEN fanned_upto >= total THEN (SELECT min(m.held_until) FROM message m WHERE m.submission_id = sized.id AND m.held_until IS NOT NULL)
                ELSE LEAST(held_until, CASE WHEN ending IS NULL AND EXISTS (SELECT FROM quiet) THEN (
                       SELECT min(${quietUntil('r.recipient')}) FROM unnest(recipients[fanned_upto + 1 : fanned_upto + take]) AS r(recipient)) END)
           END AS held
      FROM sized
  ), taken AS (
    UPDATE submission s
       SET fanned_from = s.fanned_upto, fanned_upto = p.upto, held_until = p.held,
           fanned_out_at = CASE WHEN p.upto = p.total AND p.held IS NULL THEN now() END,
           waits = CASE WHEN p.ending IS NOT NULL THEN false WHEN p.upto < p.total THEN p.rate IS NOT NULL
                        ELSE p.held IS NOT NULL AND (p.held > now() OR p.rate IS NOT NULL) END,
           due_at = CASE WHEN p.upto = p.total AND p.held > now() THEN LEAST(p.held, s.expires_at)
                         WHEN p.rate IS NOT NULL THEN GREATEST(s.due_at, now() - interval '500 milliseconds') + make_interval(secs => p.take::float / p.rate)
                         ELSE s.due_at END
      FROM planned p WHERE s.id = p.id
    RETURNING ${TAKEN_CHUNK}, p.uses_up,
              CASE WHEN p.fanned_upto >= p.total AND (p.held <= now() OR p.held IS NOT NULL AND p.ending IS NOT NULL) THEN p.take END AS release
  ), ${insertChunks('$7')}
  SELECT ${FANNED_OUT}, release, uses_up OR (SELECT count(*) FROM account) >= $3::integer OR release IS NOT NULL AS more,
         CASE WHEN (SELECT count(*) FROM account) >= $3::integer THEN (SELECT account_id FROM account ORDER BY place DESC LIMIT 1) END AS next
    FROM taken`;
