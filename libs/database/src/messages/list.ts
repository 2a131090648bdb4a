import type { Channel } from '@signalbox/domain/channel';
import { SMS_LANES } from '@signalbox/domain/lane';
import type { MessageKey } from '@signalbox/domain/message-id';
import type { MessageStatus } from '@signalbox/domain/message-status';
import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';
import { LISTED_ERR_CODE, LISTED_STATUS, MESSAGE_COLUMNS, type MessageState } from './messages.ts';
import { NEWEST_OF_RECIPIENT, ONLY_RECIPIENT } from './of-recipient.ts';
import { UNLISTED_OF_ACCOUNT } from '../submissions/ready-batches.ts';
import { idRange } from '../submissions/submission-walk.ts';

/** A filter of an account's messages: those that match all its fields. */
export interface MessageFilter {
  recipient?: string | undefined;
  /** One of these statuses; all when empty or absent. */
  statuses?: readonly MessageStatus[] | undefined;
  errCode?: string | undefined;
  gateway?: string | undefined;
  submissionId?: string | undefined;
  campaign?: string | undefined;
  clientRef?: string | undefined;
  sender?: string | undefined;
  channel?: Channel | undefined;
  /** Accepted at this moment or later. */
  from?: Date | undefined;
  /** Accepted before this moment. */
  to?: Date | undefined;
}

/** A page of messages, newest first. */
export interface MessagePage {
  messages: MessageState[];
  /** The `before` of the next page; null at the end. It may be set while the page is not full, see EXAMINED. */
  next: MessageKey | null;
}

/**
 * Maximum number of messages, or submissions that do not match, that a page reads when no index serves its filter. It
 * bounds the cost of a page, whatever the filter; a page that stopped there names the next one, although it is not
 * full.
 */
const EXAMINED = 1_000;

/**
 * Lists a page of an account's messages, newest first, including those not fanned out yet. It walks an index down from
 * `before`: of the recipient, of failed messages, or of the submissions of an account, a campaign or a reference.
 */
export async function listMessages(
  db: EntityManager,
  accountId: string,
  filter: MessageFilter,
  limit: number,
  before?: MessageKey,
): Promise<MessagePage> {
  const walk = walkFor(filter);
  const bound = Math.max(limit + 1, walk.covers(filter) ? 0 : EXAMINED);
  const rows: PageRow[] = await db.query(walk.page, [
    accountId,
    ...rangeOf(filter, before),
    bound,
    limit + 1,
    ...valuesOf(filter),
  ]);
  const found = rows.filter(isMessage);
  const messages = found.slice(0, limit);
  return { messages, next: found.length > limit ? messages.at(-1)! : edgeOf(rows[0]) };
}

/**
 * A message, and on every row the place where the walk stopped if it met its bound. Without a message there is one row
 * of nulls.
 */
type PageRow = (MessageState | Record<keyof MessageState, null>) & { edgeId: string | null; edgeN: number };

function isMessage(row: PageRow): row is MessageState & PageRow {
  return row.submissionId !== null;
}

function edgeOf(row: PageRow | undefined): MessageKey | null {
  return row?.edgeId ? { submissionId: row.edgeId, n: row.edgeN } : null;
}

/** A way through an account's messages, newest first. */
interface Walk {
  /** The statement that reads a page of it. */
  page: string;
  /** True when nearly all messages on the way match the filter. */
  covers: (filter: MessageFilter) => boolean;
}

/** The part of the filter, $7 and up, that concerns a submission `s` and not its messages. */
const SUBMISSION_MATCHES = sql`
  ($9::text IS NULL OR s.campaign = $9)
  AND ($10::text IS NULL OR s.client_ref = $10)
  AND ($11::text IS NULL OR s.sender = $11)
  AND s.accepted_at >= $12::timestamptz
  AND s.accepted_at < $13::timestamptz
  AND ($14::text IS NULL OR s.channel = $14)`;

/**
 * Reads a page of the candidates (submission_id, n, recipient) of a walk. A submission without a match is a candidate
 * with n 0, so that it counts as examined. A message that retention has deleted is not listed, although its submission
 * may still exist. $1 account, from ($3, $4) down to the submission $2, at most $5.
 */
function pageOf(candidates: string): string {
  return sql`
    WITH candidate AS MATERIALIZED (
      SELECT *
        FROM (
          ${candidates}
        ) AS walked
       -- an order that the planner knows, so that a full page reads no further message
       ORDER BY submission_id DESC, n DESC
    ), page AS (
      SELECT ${MESSAGE_COLUMNS}
        FROM candidate c
        JOIN submission s ON s.id = c.submission_id
        LEFT JOIN LATERAL (
          SELECT *
            FROM message
           WHERE submission_id = c.submission_id
             AND n = c.n
          OFFSET 0 -- by the key: with a filter the planner may read all messages of a large send for each
        ) AS m ON true
       WHERE c.n > 0
         AND s.account_id = $1
         AND (m.n IS NOT NULL OR c.n > s.fanned_upto)
         AND ($7::text IS NULL OR c.recipient = $7)
         AND ($8::text[] IS NULL OR ${LISTED_STATUS} = ANY($8))
         AND ($15::text IS NULL OR ${LISTED_ERR_CODE} = $15)
         AND ($16::text IS NULL OR m.gateway = $16)
         AND ${SUBMISSION_MATCHES}
       ORDER BY c.submission_id DESC, c.n DESC
       LIMIT $6::integer
    ), edge AS (
      SELECT submission_id AS "edgeId", n AS "edgeN"
        FROM candidate
       ORDER BY submission_id DESC, n DESC
      OFFSET $5 - 1
    )
    SELECT page.*, edge.*
      FROM (VALUES (1)) AS one
      LEFT JOIN edge ON true
      LEFT JOIN page ON true
     ORDER BY page."submissionId" DESC, page.n DESC`;
}

/**
 * Walks the recipients of submissions; `top` is the highest n below the cursor, null in one that does not match. The
 * range and the order name every column of the index to walk, so that no other serves: an index without the account
 * would read everybody's rows to find those of an account that sends little.
 *
 * @param filters columns between account_id and id in that index, with their values
 */
function submissionWalk(filters: [column: string, value: string][] = []): string {
  const columns = ['account_id', ...filters.map(([column]) => column)];
  const values = ['$1::uuid', ...filters.map(([, value]) => value)].join(', ');
  const row = [...columns, 'id'].join(', ');
  const newestFirst = (table: string): string =>
    [...columns, 'id'].map((column) => `${table}${column} DESC`).join(', ');
  const isIndexed = filters.map(([column]) => ` AND ${column} IS NOT NULL`).join('');
  return pageOf(sql`
    SELECT s.id AS submission_id, COALESCE(u.n, 0) AS n, u.recipient
      FROM (
        SELECT s.*,
               -- only of those that match: counting recipients reads all of them
               CASE
                 WHEN (${SUBMISSION_MATCHES}) IS NOT TRUE THEN NULL
                 WHEN id = $3 THEN LEAST($4::integer - 1, cardinality(recipients))
                 ELSE cardinality(recipients)
               END AS top
          FROM submission s
         WHERE (${row}) BETWEEN (${values}, $2::uuid)
                            AND (${values}, $3::uuid)${isIndexed}
         ORDER BY ${newestFirst('')}
         LIMIT $5::integer
      ) AS s
      LEFT JOIN LATERAL (
        SELECT GREATEST(0, s.top - $5::integer) + below.position::integer AS n, below.recipient
          FROM unnest(s.recipients[GREATEST(0, s.top - $5::integer) + 1 : s.top])
               WITH ORDINALITY AS below(recipient, position)
         WHERE s.top IS NOT NULL
      ) AS u ON true
     -- by the columns of the index, so that the sort is incremental and reads no submission beyond the page
     ORDER BY ${newestFirst('s.')}, n DESC
     LIMIT $5`);
}

const isUnset = (...values: unknown[]): boolean => values.every((value) => value === undefined);

/** True when no filter but the ones that a walk serves is set. */
const hasOnly = (filter: MessageFilter, ...served: (keyof MessageFilter)[]): boolean =>
  isUnset(
    ...Object.keys(filter)
      .filter((name) => !served.includes(name as keyof MessageFilter))
      .map((name) => filter[name as keyof MessageFilter]),
  );

/** Filters that all messages of one submission share. */
const SENDS_OF_ONE = ['campaign', 'clientRef'] as const;

const BY_ACCOUNT: Walk = {
  page: submissionWalk(),
  covers: (filter) =>
    hasOnly(filter, 'submissionId', 'recipient', ...(filter.submissionId ? SENDS_OF_ONE : [])),
};

const BY_CAMPAIGN: Walk = {
  page: submissionWalk([['campaign', '$9::text']]),
  covers: (filter) => hasOnly(filter, 'campaign', 'submissionId', 'recipient'),
};

const BY_REFERENCE: Walk = {
  page: submissionWalk([['client_ref', '$10::text']]),
  covers: (filter) => hasOnly(filter, 'clientRef', 'submissionId', 'recipient'),
};

/**
 * Walks the messages that ever failed, by the column that holds its time: no other change of status touches the index.
 * A message that has another status now is not listed. The other statuses have no index: most messages reach them, and
 * each change of status would update it. The recipients of a discarded send have no messages that failed.
 */
const BY_FAILURE: Walk = {
  page: pageOf(sql`
    (SELECT submission_id, n, recipient
       FROM message
      WHERE failed_at IS NOT NULL
        AND (account_id, submission_id) >= ($1::uuid, $2::uuid)
        AND (account_id, submission_id, n) < ($1::uuid, $3::uuid, $4::integer)
      ORDER BY account_id DESC, submission_id DESC, n DESC
      LIMIT $5)
    UNION ALL
    (SELECT discarded.submission_id, COALESCE(u.n, 0) AS n, u.recipient
       FROM (
         SELECT account_id, submission_id
           FROM discarded_send
          WHERE (account_id, submission_id) BETWEEN ($1::uuid, $2::uuid) AND ($1::uuid, $3::uuid)
          ORDER BY account_id DESC, submission_id DESC
          LIMIT $5
       ) AS discarded
       LEFT JOIN LATERAL (
         SELECT listed.n, listed.recipient
           FROM submission s
          CROSS JOIN unnest(s.recipients) WITH ORDINALITY AS listed(recipient, n)
          WHERE s.id = discarded.submission_id
            AND listed.n > s.fanned_upto
            AND (s.id, listed.n) < ($3::uuid, $4::integer)
       ) AS u ON true
      ORDER BY discarded.account_id DESC, discarded.submission_id DESC, n DESC
      LIMIT $5)
    ORDER BY submission_id DESC, n DESC
    LIMIT $5`),
  covers: (filter) =>
    filter.statuses?.length === 1 && hasOnly(filter, 'statuses', 'submissionId', 'recipient'),
};

/** Submissions that wait are searched for the only recipient, and for several of whom each may be it. */
const WAITING_RECIPIENTS = ['$7', `''`];

/**
 * Finds messages by their recipient, and those not fanned out yet: of submissions that wait and of ready ones. Ready ones,
 * and those with several recipients, are examined whoever their recipients are.
 */
const BY_RECIPIENT: Walk = {
  page: pageOf(sql`
    (SELECT submission_id, n, recipient
       FROM message
      WHERE account_id = $1
        AND recipient COLLATE "C" = $7
        AND submission_id >= $2::uuid
        AND (submission_id, n) < ($3::uuid, $4::integer)
      ORDER BY ${NEWEST_OF_RECIPIENT}
      LIMIT $5)
    UNION ALL
    (SELECT s.id, COALESCE(u.n, 0) AS n, $7
       FROM (
         SELECT s.*
           FROM (
             ${WAITING_RECIPIENTS.map(
               (recipient) => sql`
               (SELECT id
                  FROM submission
                 WHERE account_id = $1
                   AND waits
                   AND ${ONLY_RECIPIENT} = ${recipient}
                   AND id BETWEEN $2::uuid AND $3::uuid
                 ORDER BY id DESC
                 LIMIT $5)
               UNION ALL`,
             ).join('\n')}
             SELECT ready.id
               FROM unnest(ARRAY[${SMS_LANES.map((lane) => `'${lane}'`).join(', ')}]) AS u(lane)
              CROSS JOIN LATERAL (
                SELECT id
                  FROM ready_sms
                 WHERE lane = u.lane
                   AND account_id = $1
                   AND id BETWEEN $2::uuid AND $3::uuid
                 ORDER BY id DESC
                 LIMIT $5
              ) AS ready
             UNION ALL
             (${UNLISTED_OF_ACCOUNT}
               LIMIT $5)
             -- once each: a submission that waits may have an outdated ready row
             UNION
             (SELECT id
                FROM ready_chat
               WHERE account_id = $1
                 AND id BETWEEN $2::uuid AND $3::uuid
               ORDER BY id DESC
               LIMIT $5)
           ) AS unfanned
           JOIN submission s ON s.id = unfanned.id
          WHERE s.fanned_out_at IS NULL
          ORDER BY s.id DESC
          LIMIT $5
       ) AS s
       LEFT JOIN LATERAL (
         SELECT listed.n
           FROM unnest(array_positions(s.recipients, $7::text)) AS listed(n)
          WHERE listed.n > s.fanned_upto
            AND (s.id, listed.n) < ($3::uuid, $4::integer)
       ) AS u ON true
      ORDER BY s.id DESC, n DESC
      LIMIT $5)
    ORDER BY submission_id DESC, n DESC
    LIMIT $5`),
  // the sends that are examined are to anybody
  covers: () => false,
};

function walkFor({
  submissionId,
  recipient,
  statuses = [],
  errCode,
  campaign,
  clientRef,
}: MessageFilter): Walk {
  if (recipient !== undefined) return BY_RECIPIENT;
  if (clientRef !== undefined && submissionId === undefined) return BY_REFERENCE;
  if (campaign !== undefined && submissionId === undefined) return BY_CAMPAIGN;
  return isOnlyFailed(statuses) || isFailure(errCode) ? BY_FAILURE : BY_ACCOUNT;
}

const isOnlyFailed = (statuses: readonly MessageStatus[]): boolean =>
  statuses.length === 1 && statuses[0] === 'FAILED';

/** True for an errCode that only messages have that failed at some time. */
const isFailure = (errCode: string | undefined): boolean => errCode !== undefined && errCode !== NO_ERROR;

const NO_ERROR = '000';

const LAST_N = 2 ** 31 - 1;

/** $2 to $4: the range of ids to walk, and the n to start below. */
function rangeOf(
  { submissionId, from, to }: MessageFilter,
  before: MessageKey | undefined,
): [lowest: string, highest: string, n: number] {
  const [first, last] = idRange({ from, to });
  const [lowest, highest] = [submissionId ?? first, submissionId ?? last];
  if (before === undefined || before.submissionId > highest) return [lowest, highest, LAST_N];
  return [lowest, before.submissionId, before.n];
}

/** $7 and up: the filter. */
function valuesOf(filter: MessageFilter): unknown[] {
  const {
    recipient,
    statuses = [],
    campaign,
    clientRef,
    sender,
    channel,
    from,
    to,
    errCode,
    gateway,
  } = filter;
  return [
    recipient ?? null,
    statuses.length === 0 ? null : statuses,
    campaign ?? null,
    clientRef ?? null,
    sender ?? null,
    from?.toISOString() ?? '-infinity',
    to?.toISOString() ?? 'infinity',
    channel ?? null,
    errCode ?? null,
    gateway ?? null,
  ];
}
