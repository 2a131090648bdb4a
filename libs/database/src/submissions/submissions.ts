import type { Channel } from '@signalbox/domain/channel';
import { FAN_OUT_CHUNK, LIFETIME_HOURS } from '@signalbox/domain/limits';
import type { ChatContent, ChatKind } from '@signalbox/domain/chat/message';
import { LANES, type Lane, type SmsLane } from '@signalbox/domain/lane';
import type { QuietRule } from '@signalbox/domain/sms/quiet-hours';
import type { TextPiece } from '@signalbox/domain/sms/text';
import type { EntityManager } from 'typeorm';
import { NAMED_IDS, rowset } from '../core/rowset.ts';
import { guard, sql } from '../core/sql.ts';
import { CLAIMED_CHUNK, FANNED_OUT, insertChunks } from './chunks.ts';
import { isOptedOut } from './endings.ts';
import { type IdempotentCall, KEY_COLUMNS, storeKeys } from './idempotency-keys.ts';
import { quietNow, quietRules } from './quiet.ts';
import { insertReadyBatch } from './ready-batches.ts';
import { READY_MESSAGES, deleteReady, insertReady, insertReadyOf } from './ready-tables.ts';

/**
 * The content that all SMS of a submission share. Its text is `text` or `pieces`; neither when the text is in `sealed`.
 */
export interface SmsContent {
  /** The text of every recipient. */
  text?: string;
  /** The text when links or values make it differ by recipient. */
  pieces?: TextPiece[];
  /** The targets of the links in `pieces`, in the order of their numbers, and the URL prefix of their short links. */
  links?: { base: string; targets: string[] };
  templateId?: string;
  /** The registration of the template with India's DLT. */
  dlt?: { entityId: string | null; templateId: string | null };
  unicode: boolean;
  flash: boolean;
  /** The only gateway that may take it; routes do not apply. */
  via?: string;
}

/** One accepted API call. */
export interface NewSubmission {
  id: string;
  accountId: string;
  channel: Channel;
  kind: 'text' | ChatKind;
  lane: Lane;
  sender: string;
  content: SmsContent | (ChatContent & { via?: string });
  /** The text of an OTP message, or the code of a chat-app template that carries one; encrypted. */
  sealed: Buffer | null;
  /** Digits only; message n goes to recipients[n - 1]. */
  recipients: string[];
  /** The values of message n are custom[n - 1]; null when the text has no values of recipients. */
  custom: string[][] | null;
  /** Segments of one message. */
  credits: number;
  /** Segments of message n are creditsEach[n - 1]; null when all have `credits`. */
  creditsEach: number[] | null;
  campaign: string | null;
  clientRef: string | null;
  /** Not submitted before this; null for immediately. */
  sendAt: Date | null;
  /** Not submitted after this; null for the lifetime of its lane. */
  expiresAt: Date | null;
  ratePerSecond: number | null;
  /**
   * No job is enqueued for it, because it waits for its time, or because it or its account has a limit that only rounds
   * respect: a rate or a pause. `makeDueReady` makes it ready once it is due.
   */
  waits: boolean;
  idempotency: IdempotentCall | null;
}

const LIFETIME = sql`
  CASE lane
    ${LANES.map((lane) => `WHEN '${lane}' THEN interval '${LIFETIME_HOURS[lane]} hours'`).join('\n')}
  END`;

/**
 * The result of one submission: `key_used` and `opted_out` mean that it is not stored, because its idempotency key was
 * used before or its only recipient has opted out.
 */
export type InsertOutcome = 'stored' | 'key_used' | 'opted_out';

interface Outcome {
  id: string;
  outcome: InsertOutcome;
}

/** The columns of every call. */
const CALL_COLUMNS = {
  id: 'uuid',
  account_id: 'uuid',
  kind: 'text',
  lane: 'text',
  sender: 'text',
  content: 'jsonb',
  sealed: 'bytea',
  // joined, because the arrays in an array of Postgres must have equal lengths
  recipients: ['text', ({ recipients }: NewSubmission) => recipients.join(',')],
  custom: 'jsonb',
  credits: 'smallint',
  credits_each: ['text', ({ creditsEach }: NewSubmission) => creditsEach?.join(',')],
  campaign: 'text',
  client_ref: 'text',
  expires_at: 'timestamptz',
} as const;

const CALLS = rowset('call', {
  ...CALL_COLUMNS,
  channel: 'text',
  send_at: 'timestamptz',
  rate_per_second: 'integer',
  waits: 'boolean',
  ...KEY_COLUMNS,
});

const PLAIN_CALLS = rowset('call', CALL_COLUMNS);

/** True when the only recipient of a call has opted out. One recipient: the list has no comma. */
const IS_REFUSED = sql`
  strpos(recipients, ',') = 0
  AND ${isOptedOut('call', 'recipients')}`;

/** Stores the submissions of `calls`, which has the columns of CALLS and `due_at`. */
const insertCalls = (calls: string, condition: string): string => sql`
  INSERT INTO submission (id, account_id, channel, kind, lane, sender, content, sealed, recipients, custom,
                          credits, credits_each, campaign, client_ref, send_at, due_at, expires_at,
                          rate_per_second, waits, listed)
  SELECT id, account_id, channel, kind, lane, sender, content, sealed, string_to_array(recipients, ','), custom,
         credits, string_to_array(credits_each, ',')::smallint[], campaign, client_ref, send_at, due_at,
         COALESCE(expires_at, due_at + ${LIFETIME}),
         rate_per_second, waits, NOT waits
    FROM ${calls}
   WHERE ${condition}
  RETURNING id, channel, lane, account_id, sender, waits,
            ${READY_MESSAGES}`;

/*
 * Stores accepted calls.
 *
 *   $1-$21  an array for each column of CALLS, with a value for each call
 *
 * 1. `call` has the calls, and when each is due.
 * 2. `refused` has those whose only recipient has opted out. In a bulk such a message ends when it is claimed.
 * 3. `keyed` stores the idempotency keys of the others. A key that was used before stores nothing.
 * 4. `stored` stores the submissions: those without a key, and those whose key was stored.
 * 5. `sms_listed` and `chat_listed` list those that are ready, SMS as one batch of each lane.
 *
 * It returns the outcome of each call, and no row for a call whose key was used before.
 *
 * - Once only: a key and its submission are stored by one statement, so that neither exists alone.
 * - Locks: keys are locked in their order, so that two processes with the same keys never deadlock.
 */
const INSERT = sql`
  WITH call AS (
    SELECT *, COALESCE(send_at, now()) AS due_at
      FROM ${CALLS.from}
  ), refused AS (
    SELECT id
      FROM call
     WHERE ${IS_REFUSED}
  ), ${storeKeys('key IS NOT NULL AND NOT EXISTS (SELECT FROM refused WHERE refused.id = call.id)')}, stored AS (
    ${insertCalls(
      'call',
      sql`
        CASE
          WHEN key IS NULL THEN NOT EXISTS (SELECT FROM refused WHERE refused.id = call.id)
          ELSE id IN (SELECT resource_id FROM keyed)
        END`,
    )}
  ), sms_listed AS (
    ${insertReadyBatch('stored', "channel = 'sms' AND NOT waits")}
  ), chat_listed AS (
    ${insertReadyOf('chatapp', 'stored')}
     WHERE channel = 'chatapp'
       AND NOT waits
  )
  SELECT id, 'stored' AS outcome FROM stored
   UNION ALL
  SELECT id, 'opted_out' FROM refused`;

/**
 * Stores plain calls of a channel with the same result as INSERT. Its plan is much smaller, so that a batch of four costs
 * a quarter less. $1-$14 are an array for each column of PLAIN_CALLS. It returns no row for a call whose only recipient
 * has opted out.
 */
const insertPlain = (channel: Channel): string => sql`
  WITH stored AS (
    ${insertCalls(
      sql`
        (
          SELECT *,
                 '${channel}' AS channel,
                 NULL::timestamptz AS send_at,
                 now() AS due_at,
                 NULL::integer AS rate_per_second,
                 false AS waits
            FROM ${PLAIN_CALLS.from}
        ) AS call`,
      sql`
        NOT (
          ${IS_REFUSED}
        )`,
    )}
  ), listed AS (
    ${channel === 'sms' ? insertReadyBatch('stored') : insertReadyOf(channel, 'stored')}
  )
  SELECT id, 'stored' AS outcome FROM stored`;

const INSERT_PLAIN: Record<Channel, string> = { sms: insertPlain('sms'), chatapp: insertPlain('chatapp') };

/**
 * Stores accepted calls, each together with its idempotency key or not at all. A batch must not name a key twice: the
 * caller refuses a key whose first call is in progress.
 *
 * @returns one outcome per submission, in order
 */
export async function insertSubmissions(
  db: EntityManager,
  submissions: NewSubmission[],
): Promise<InsertOutcome[]> {
  const channel = channelOfPlain(submissions);
  const rows: Outcome[] = channel
    ? await db.query(INSERT_PLAIN[channel], PLAIN_CALLS.values(submissions))
    : await db.query(INSERT, CALLS.values(submissions));
  const outcomes = new Map(rows.map(({ id, outcome }) => [id, outcome]));
  const otherwise = channel ? 'opted_out' : 'key_used';
  return submissions.map(({ id }) => outcomes.get(id) ?? otherwise);
}

/** Returns the channel of plain calls; undefined when one of them is not plain, or they have several channels. */
function channelOfPlain(submissions: NewSubmission[]): Channel | undefined {
  const channel = submissions[0]?.channel;
  return submissions.every((each) => each.channel === channel && isPlain(each)) ? channel : undefined;
}

/** True for a call without an idempotency key, a time or a rate, as nearly all calls are. */
function isPlain({ sendAt, ratePerSecond, waits, idempotency }: NewSubmission): boolean {
  return !waits && idempotency === null && sendAt === null && ratePerSecond === null;
}

/** Consecutive recipients of a submission, the first at index `from`, whose messages this worker has claimed. */
export interface SubmissionChunk {
  id: string;
  accountId: string;
  sender: string;
  lane: SmsLane;
  content: SmsContent;
  sealed: Buffer | null;
  expiresAt: Date;
  from: number;
  recipients: string[];
  /** Segments of one message. */
  credits: number;
  /** Segments of each recipient's message; null when all have `credits`. */
  creditsEach: number[] | null;
  /** One list of values per recipient; null when the text has none. */
  custom: string[][] | null;
  /** True when nothing of the submission is left, neither new recipients nor held messages. */
  complete: boolean;
  /**
   * The n of messages that are not submitted now, because quiet hours hold them or they ended; null when there are
   * none.
   */
  skipped: number[] | null;
  /** The reports of messages that ended, to be enqueued; null when there are none. */
  reportIds: string[] | null;
}

const QUIET = quietRules(3);
const MAY_FAN_OUT = sql`
  s.fanned_out_at IS NULL
  AND NOT s.waits
  AND s.rate_per_second IS NULL
  AND s.held_until IS NULL`;

/*
 * Fans out the next chunk of submissions that a job names.
 *
 *   $1     uuid[]   ids of submissions
 *   $2     integer  seconds for which the new messages are claimed
 *   $3-$6  text[], time[], time[], text[]  quiet hours: the prefix, the beginning, the end and the zone of each
 *
 * 1. `quiet` has the quiet hours that are in force. While there are any, nothing is fanned out.
 * 2. `chunk` moves each submission on by a chunk, and returns the recipients of the new messages.
 * 3. `done` deletes the rows of submissions without another chunk from `ready_sms`; most never had one.
 * 4. The CTEs of `insertChunks` store messages, their claim, and the events of those that end instead.
 *
 * - Once only: the update of a submission checks and moves its position, and the same statement stores its messages.
 * - Locks: submissions are locked in the order of their ids, as a cancellation locks them.
 */
const FAN_OUT = sql`
  WITH ${quietNow(QUIET)}, chunk AS (
    UPDATE submission s
       SET fanned_from = s.fanned_upto,
           fanned_upto = LEAST(s.fanned_upto + ${FAN_OUT_CHUNK}, cardinality(s.recipients)),
           fanned_out_at = CASE WHEN s.fanned_upto + ${FAN_OUT_CHUNK} >= cardinality(s.recipients) THEN now() END
      FROM ${NAMED_IDS}
     WHERE s.id = named.id
       AND NOT EXISTS (SELECT FROM quiet)
       AND ${guard(MAY_FAN_OUT)}
    RETURNING ${CLAIMED_CHUNK}
  ), done AS (
    ${deleteReady('sms', '(SELECT lane, account_id, id FROM chunk WHERE fanned_out_at IS NOT NULL)')}
  ), ${insertChunks('$2')}
  SELECT ${FANNED_OUT}
    FROM chunk`;

/**
 * Fans submissions out into one message per recipient, each with its position n, at most FAN_OUT_CHUNK of each
 * submission. A submission fanned out before yields nothing, so a repeated job is harmless; a large one yields its next
 * chunk. Submissions that wait for their time, have a rate limit or held messages, and a whole lane during quiet hours,
 * are left to `fanOutFairly`.
 *
 * @param quiet the quiet hours of the lane
 * @returns the new messages, claimed for `leaseSeconds`, except those that ended
 */
export function fanOut(
  db: EntityManager,
  ids: string[],
  leaseSeconds: number,
  quiet: readonly QuietRule[] = [],
): Promise<SubmissionChunk[]> {
  return db.query(FAN_OUT, [ids, leaseSeconds, ...QUIET.values(quiet)]);
}

const DUE_LIMIT = 5_000;

/**
 * $1 channel. The previous version has no table of ready submissions, so those that it stored or moved are listed here
 * too.
 */
const MAKE_DUE_READY = sql`
  WITH due AS (
    UPDATE submission
       SET waits = false, listed = true
     WHERE id IN (
       SELECT id
         FROM submission
        WHERE waits
          AND channel = $1
          AND due_at <= now()
        ORDER BY channel, due_at
        LIMIT ${DUE_LIMIT}
          FOR UPDATE SKIP LOCKED
     )
    RETURNING id, channel, lane, account_id, sender, fanned_out_at, waits,
              ${READY_MESSAGES}
  ), unlisted AS (
    UPDATE submission
       SET listed = true
     WHERE id IN (
       SELECT id
         FROM submission
        WHERE NOT listed
          AND NOT waits
          AND channel = $1
        ORDER BY id
        LIMIT ${DUE_LIMIT}
          FOR UPDATE SKIP LOCKED
     )
    RETURNING id, channel, lane, account_id, sender, fanned_out_at, waits,
              ${READY_MESSAGES}
  ), ready AS MATERIALIZED (
    SELECT *
      FROM (TABLE due UNION ALL TABLE unlisted) AS found
     WHERE fanned_out_at IS NULL
       AND NOT waits
  ), ${insertReady('ready')}
  SELECT ARRAY(SELECT DISTINCT lane FROM ready) AS lanes,
         (SELECT count(*) FROM due) = ${DUE_LIMIT} AS "isFull"`;

/** The result of `makeDueReady`. */
export interface DueReady {
  lanes: Lane[];
  /** True when it reached its limit, so that more may be due. */
  isFull: boolean;
}

/**
 * Makes the due submissions of a channel ready, the earliest first and up to DUE_LIMIT, by the database's clock. Skips
 * locked ones.
 */
export async function makeDueReady(db: EntityManager, channel: Channel): Promise<DueReady> {
  const [pass]: [DueReady] = await db.query(MAKE_DUE_READY, [channel]);
  return pass;
}
