import type { EntityManager } from 'typeorm';
import { returning } from '../core/returning.ts';
import { sql } from '../core/sql.ts';
import { type MinuteCount, countPiece, isEmptyMinute } from './minute-build.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Hours that statistics by minute are kept. */
export const MINUTE_HOURS = 48;

/** Days that statistics by quarter of an hour are kept. */
export const QUARTER_DAYS = 90;

/** Days that statistics by day are kept. */
const DAY_DAYS = 400;

/** Time between two counts of the newest minutes. */
const REBUILD_MS = 10_000;

/**
 * Age before which a minute is not counted after its end: rows are stored within seconds of the time in their ids. If it
 * has no open messages then, the next count is the last.
 */
const COMPLETE_MS = 10_000;

/** A long count delays the next by this many times its duration, so that it takes a small share of the database. */
const REST_FACTOR = 100;

/**
 * A minute is counted a last time when every transaction has ended that began up to this long after it. A row with an
 * id of the minute that is first written later than that is not counted.
 */
const LATE_MS = 15 * MINUTE_MS;

/** A minute with open messages is not counted again when it is older than this, or than the retention of messages. */
const MAX_OPEN_MS = 35 * DAY_MS;

const START = sql`
  SELECT GREATEST(
           (SELECT max(minute) + interval '1 minute' FROM message_stat_build),
           CASE WHEN NOT EXISTS (SELECT FROM message_stat_build) THEN date_trunc('minute', LEAST(
             $1::timestamptz,
             GREATEST(
               $1::timestamptz - interval '${MINUTE_HOURS} hours',
               COALESCE((SELECT uuid_extract_timestamp(id) FROM submission ORDER BY id LIMIT 1), $1::timestamptz)
             )
           )) END
         ) AS start`;

/** Lists the minutes up to `now` that are to be counted; the first pass begins with the oldest message of 48 hours. */
async function addMinutes(db: EntityManager, now: Date): Promise<void> {
  const [{ start }]: [{ start: Date }] = await db.query(START, [now.toISOString()]);
  if (start > now) return;
  await db.query(
    `INSERT INTO message_stat_build (minute, due_at)
     SELECT minute, minute
       FROM generate_series($1::timestamptz, $2::timestamptz, interval '1 minute') AS minute
     ON CONFLICT DO NOTHING`,
    [start.toISOString(), now.toISOString()],
  );
}

/** A minute that is due. */
interface DueMinute extends MinuteCount {
  minute: Date;
  hasBarrier: boolean;
  /**
   * True when every transaction that was running at the barrier had ended before the count began: none could add rows.
   */
  isWhole: boolean;
  /** Duration of the pieces so far. */
  spentMs: number;
}

/** The newest first: a backlog delays no current figures. */
const NEXT = sql`
  SELECT minute, barrier IS NOT NULL AS "hasBarrier", next_id AS "nextId", open::float8, spent_ms AS "spentMs",
         CASE
           WHEN next_id IS NULL THEN COALESCE(barrier <= pg_snapshot_xmin(pg_current_snapshot()), false)
           ELSE is_whole
         END AS "isWhole"
    FROM message_stat_build
   WHERE due_at <= $1::timestamptz
   ORDER BY minute DESC
   LIMIT 1`;

/**
 * Counts the messages of the newest minute that is due, or a piece of a large one: the next call continues it, unless a
 * newer minute is due. The current minute is due every few seconds, and each once more when nothing can be added to it;
 * one with open messages at growing intervals until none is left.
 *
 * @param days the retention of messages; minutes whose messages may be deleted are left as they are
 * @param given another time than that of the database
 * @returns 1, or 0 when none is due
 * @throws UncountedMinute for a minute that cannot be counted. It is tried again later, unless the transaction is undone.
 */
export async function advanceStatistics(db: EntityManager, days: number, given?: Date): Promise<number> {
  const now = given ?? (await readNow(db));
  await addMinutes(db, now);
  const [next]: DueMinute[] = await db.query(NEXT, [now.toISOString()]);
  if (!next) return 0;
  const ageMs = now.getTime() - next.minute.getTime() - MINUTE_MS;
  if (ageMs >= LATE_MS && !next.hasBarrier) await setBarrier(db, next.minute, now);
  else if (ageMs > maxAgeMs(days)) await postpone(db, next.minute, null);
  else {
    try {
      await db.transaction((transaction) => build(transaction, next, ageMs, now));
    } catch (error) {
      await setAside(db, next.minute, ageMs, now);
      throw new UncountedMinute(next.minute, error);
    }
  }
  return 1;
}

/** A minute that cannot be counted, because of what its rows hold. */
export class UncountedMinute extends Error {
  override readonly name = 'UncountedMinute';

  constructor(
    readonly minute: Date,
    cause: unknown,
  ) {
    super(`the messages of ${minute.toISOString()} cannot be counted`, { cause });
  }
}

/** Counts a minute that failed again when it is twice as old: it delays no other. */
async function setAside(db: EntityManager, minute: Date, ageMs: number, now: Date): Promise<void> {
  await postpone(db, minute, new Date(now.getTime() + Math.max(ageMs, MINUTE_MS)));
}

/** Reads the clock of the database: by its own clock, a worker might count a minute too early. */
async function readNow(db: EntityManager): Promise<Date> {
  const [{ now }]: [{ now: Date }] = await db.query('SELECT now() AS now');
  return now;
}

/** A day before retention, so that a minute is never counted while its messages are being deleted. */
const maxAgeMs = (days: number): number => Math.min(MAX_OPEN_MS, (days - 1) * DAY_MS);

/** Notes the transactions that may still add rows to a minute; the build that follows them counts it as whole. */
async function setBarrier(db: EntityManager, minute: Date, now: Date): Promise<void> {
  await db.query(
    `UPDATE message_stat_build
        SET barrier = pg_snapshot_xmax(pg_current_snapshot()), due_at = $2
      WHERE minute = $1`,
    [minute.toISOString(), new Date(now.getTime() + 1_000).toISOString()],
  );
}

/** Counts a piece of a minute. A count that is complete is repeated later. */
async function build(db: EntityManager, due: DueMinute, ageMs: number, now: Date): Promise<void> {
  const startedAt = performance.now();
  const { minute, nextId, isWhole } = due;
  const isEmpty = nextId === null && (await isEmptyMinute(db, minute));
  const count = isEmpty ? { open: 0, nextId } : await countPiece(db, minute, due);
  const spentMs = due.spentMs + Math.round(performance.now() - startedAt);
  if (count.nextId !== null) return storeCount(db, { ...due, ...count, spentMs });
  const waitMs = waitAfter(count.open > 0, isWhole, ageMs, REST_FACTOR * spentMs);
  await endCount(db, minute, waitMs === null ? null : new Date(now.getTime() + waitMs), now);
}

/** Milliseconds to the next count of a minute; null when its counts are final. */
function waitAfter(hasOpen: boolean, isWhole: boolean, ageMs: number, restMs: number): number | null {
  const leastMs = Math.max(REBUILD_MS, restMs);
  if (ageMs + leastMs < 0) return leastMs;
  if (ageMs < COMPLETE_MS) return Math.max(leastMs, COMPLETE_MS - ageMs);
  if (ageMs < LATE_MS) return hasOpen ? Math.max(leastMs, Math.min(ageMs, LATE_MS - ageMs)) : LATE_MS - ageMs;
  if (!isWhole) return Math.max(leastMs, MINUTE_MS, ageMs - LATE_MS); // an old transaction may last for hours
  return hasOpen ? Math.max(leastMs, ageMs) : null;
}

/** Leaves a minute as it is until a time, also one that is counted in part; null for ever. */
async function postpone(db: EntityManager, minute: Date, dueAt: Date | null): Promise<void> {
  await db.query(`UPDATE message_stat_build SET due_at = $2 WHERE minute = $1`, [
    minute.toISOString(),
    dueAt?.toISOString() ?? null,
  ]);
}

/** Stores where a count continues. */
async function storeCount(db: EntityManager, due: DueMinute): Promise<void> {
  await db.query(
    `UPDATE message_stat_build
        SET next_id = $2, open = $3, is_whole = $4, spent_ms = $5
      WHERE minute = $1`,
    [due.minute.toISOString(), due.nextId, due.open, due.isWhole, due.spentMs],
  );
}

/** Ends a count. The next one is due at `dueAt`. */
async function endCount(db: EntityManager, minute: Date, dueAt: Date | null, builtAt: Date): Promise<void> {
  await db.query(
    `UPDATE message_stat_build
        SET due_at = $2, built_at = $3, next_id = NULL, open = 0, spent_ms = 0
      WHERE minute = $1`,
    [minute.toISOString(), dueAt?.toISOString() ?? null, builtAt.toISOString()],
  );
}

const SWEEP_MINUTES = sql`
  WITH old AS (
    SELECT minute
      FROM message_stat_build
     WHERE minute < $1::timestamptz
       AND due_at IS NULL
       AND minute < (SELECT max(minute) FROM message_stat_build) -- the next minutes follow the newest
     ORDER BY minute
     LIMIT 1 -- it may have a row for each of thousands of accounts
  ), found_gone AS (
    DELETE FROM message_stat_found f
     USING old
     WHERE f.minute = old.minute
  ), counts_gone AS (
    DELETE FROM message_stat_minute
     USING old
     WHERE at = old.minute
  )
  DELETE FROM message_stat_build b
   USING old
   WHERE b.minute = old.minute
  RETURNING b.minute`;

/** The key begins with the account, so the oldest are read account by account. */
const sweepOf = (span: string): string => sql`
  DELETE FROM message_stat_${span} stat
   USING (
     SELECT oldest.place
       FROM account a,
            LATERAL (
              SELECT ctid AS place
                FROM message_stat_${span}
               WHERE account_id = a.id
                 AND at < $1::timestamptz
               LIMIT 10000
            ) AS oldest
      LIMIT 10000
   ) AS old
   WHERE stat.ctid = old.place
  RETURNING 1`;

/**
 * Deletes the oldest minute that is older than minutes are kept. One that is still counted stays.
 *
 * @param given another time than that of the database
 * @returns the number of minutes deleted; 0 when none is left
 */
export async function sweepMinutes(db: EntityManager, given?: Date): Promise<number> {
  const minutes = await returning(
    db,
    SWEEP_MINUTES,
    before(given ?? (await readNow(db)), MINUTE_HOURS * HOUR_MS),
  );
  return minutes.length;
}

/**
 * Deletes statistics by quarter and day that are older than each is kept, at most 10,000 rows of each. Looks each account
 * up.
 *
 * @param given another time than that of the database
 * @returns the number of rows deleted; 0 when none is left
 */
export async function sweepStatistics(db: EntityManager, given?: Date): Promise<number> {
  const now = given ?? (await readNow(db));
  const quarters = await returning(db, sweepOf('quarter'), before(now, QUARTER_DAYS * DAY_MS));
  const days = await returning(db, sweepOf('day'), before(now, DAY_DAYS * DAY_MS));
  return quarters.length + days.length;
}

/** The value of a statement that deletes what is older than `ageMs`. */
function before(now: Date, ageMs: number): [string] {
  return [new Date(now.getTime() - ageMs).toISOString()];
}
