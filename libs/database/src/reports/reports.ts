import { RESCUE_AFTER_SECONDS } from '@signalbox/domain/limits';
import type { MessageKey } from '@signalbox/domain/message-id';
import { EVENT_STATUSES, type ReportStatus } from '@signalbox/domain/message-status';
import type { EntityManager } from 'typeorm';
import { ON_DISK } from '../core/on-disk.ts';
import { returning } from '../core/returning.ts';
import { rowset } from '../core/rowset.ts';
import { guard, sql } from '../core/sql.ts';
import { CODE_LANE_NAMES } from '../submissions/endings.ts';
import {
  APPLIED_REPORT,
  type AppliedColumns,
  type AppliedReport,
  REPORT_SUBJECT,
  appliedReport,
  toApplied,
} from './applied-report.ts';
import { IS_BEFORE_REPORT, isBefore } from './status-order.ts';

/**
 * A report of a gateway about a message, or an event that webhooks may subscribe to: a row of `message_event`. `n` is 0
 * for a message that a recipient wrote.
 */
export interface NewReport extends MessageKey {
  id: string;
  gateway: string;
  status: ReportStatus;
  errCode: string;
  description: string;
  operatorCircle: string | null;
  /** When it happened, by the gateway's clock. */
  reportedAt: Date;
  /** The gateway's own code, from which `errCode` was translated. */
  gatewayCode?: string | null;
  /** Further facts that the gateway reports, such as a price. */
  details?: Record<string, unknown> | null;
}

/** Columns of a stored report. */
export const REPORT_COLUMNS = {
  id: 'uuid',
  gateway: 'text',
  submission_id: 'uuid',
  n: 'integer',
  status: 'text',
  err_code: 'text',
  description: 'text',
  operator_circle: 'text',
  reported_at: 'timestamptz',
  gateway_code: ['text', ({ gatewayCode }: NewReport) => gatewayCode],
  details: ['jsonb', ({ details }: NewReport) => details],
} as const;

/** Columns that often have one value in all reports of a batch. */
export const ALIKE_IN_REPORTS = ['gateway', 'n', 'status', 'err_code', 'description'] as const;

const REPORTS = rowset('report', REPORT_COLUMNS, 1, ALIKE_IN_REPORTS);

/** The names of REPORT_COLUMNS, and of the column that `isCodeColumn` makes. */
export const GIVEN_COLUMNS = `${REPORTS.columns}, is_code`;

/** A column that is true when a report is about a code, by the lane of its submission; false when that is not known. */
export const isCodeColumn = (lane: string): string => sql`
  COALESCE(
    ${lane} IN (${CODE_LANE_NAMES}),
    false
  ) AS is_code`;

/** CTEs that store reports as they came. `stored` returns them; `given` has GIVEN_COLUMNS in their order. */
export const storeReports = (given: string): string => sql`
  stored AS (
    INSERT INTO message_event (${GIVEN_COLUMNS}, due_at)
    SELECT given.*,
           NULL -- not the default, which is for the previous version
      FROM ${given} AS given
    RETURNING id, is_code
  ), batch AS (
    -- read by the rescue, so that no report needs an index entry for that
    INSERT INTO report_batch (is_code, due_at, reports, ids)
    SELECT is_code, now() + make_interval(secs => ${RESCUE_AFTER_SECONDS}), count(*), array_agg(id)
      FROM stored
     GROUP BY is_code
  )`;

const GIVEN = sql`
  (
    SELECT report.*, ${isCodeColumn('s.lane')}
      FROM ${REPORTS.from}
      LEFT JOIN submission s ON s.id = report.submission_id
  )`;

const INSERT = sql`
  WITH ${storeReports(GIVEN)}
  SELECT id
    FROM stored
   WHERE is_code`;

/**
 * Stores reports as they came, also those that match no message. Nothing is checked here: the intake drops only what
 * the database refuses or what names no id of our form.
 *
 * @returns the ids of those about codes
 */
export async function insertReports(db: EntityManager, reports: NewReport[]): Promise<Set<string>> {
  const rows: { id: string }[] = await db.query(INSERT, REPORTS.values(reports));
  return new Set(rows.map(({ id }) => id));
}

/** Maximum time that a chat-app status waits for its predecessor: providers call back out of order, but not by much. */
const EARLY_SECONDS = 5;

/** True when a report of submission `s` is so recent that its predecessor may still arrive; false for an SMS. */
const mayBeEarly = (receivedAt: string): string =>
  `(s.channel = 'chatapp' AND ${receivedAt} > now() - interval '${EARLY_SECONDS} seconds')`;

/** True when a report `r` moves its message `m` forward, or is the report of a submit that moved it to SENT. */
const MAY_MOVE = sql`
  (${IS_BEFORE_REPORT}
   OR r.status = 'SENT' AND m.status = 'SENT' AND m.moved_by IS NULL)`;

/** The gateway of a message `m` with a report `r`. A pending message may still have one that did not take it. */
const GATEWAY = `COALESCE(CASE WHEN m.status <> 'PENDING' THEN m.gateway END, r.gateway)`;

/** An EarlierReport, of a column of `together`. */
const earlierReport = (column: string): string => sql`
  json_build_object(
    'reportId', (r.${column}).id, 'gateway', (r.${column}).gateway,
    'status', (r.${column}).status, 'errCode', (r.${column}).err_code,
    'description', (r.${column}).description, 'reportedAt', (r.${column}).reported_at,
    'operatorCircle', (r.${column}).operator_circle
  )`;

/*
 * Moves each message once, to the last status that its reports name, with the result of applying them one at a time in
 * STATUS_ORDER: PENDING, SENT, FAILED, DELIVERED, READ. Only `gateway` may be that of a later report of the batch than
 * it would be then, and `sent_at` of a message that ended without a submit that of a report that does not move it.
 *
 *   $1  uuid[]  ids of reports, in any order
 *
 * 1. `reported` reads the unsettled reports: for each status of a message, the first.
 * 2. `together` gives each the reports of its message as columns.
 * 3. `candidate` has the last report of each message. A Read without a Delivered may have to wait for one (see Order).
 *    The message then moves to the Failed or Sent before it, so that is a candidate, too.
 * 4. UPDATE takes one of them, guards the move, and sets all columns that the reports of the message determine.
 * 5. RETURNING has a row for each message that moved: the last report that moved it, and in `before` those before it.
 *
 * - Sent: the submit sets SENT without a report. The first Sent report then leaves the status as it is, and becomes the
 *   first entry of `moved_by`, so that it is pushed.
 * - Order: `moved_by` lists reports in STATUS_ORDER, and pushes follow it. Every status of a chat-app message is pushed,
 *   but callbacks overtake one another. So a recent chat-app report waits: Delivered and Read until a report has
 *   moved the message, or a Sent or Failed is in the batch, Read also for Delivered. A Delivered goes with a Read whose
 *   own wait has ended. `early-reports.ts` in the dlr-worker has those that wait applied again.
 * - Once only: a message never moves back, so a late or repeated report moves nothing. The guard is evaluated on the
 *   snapshot, and again on the locked row.
 * - Left out: a report that could move its message, when the message was stored or moved after the snapshot, when the
 *   wait of the report has just ended, or when a Delivered need not wait for Sent any more and a Read of the same batch
 *   still has to: only the Read is a candidate. The caller applies such reports again.
 * - Locks: messages are locked in the order of their key, as by `recordSubmits`, so that the two never deadlock. The
 *   sessions of a worker join by nested loops (`core/session-settings.ts`), which keep the order of `candidate`;
 *   `core/lock-order.spec.ts` checks it.
 */
const APPLY = sql`
  WITH reported AS (
    -- a second report of the same status moves nothing
    SELECT DISTINCT ON (submission_id, n, status) e.*, e AS report
      FROM message_event e
     WHERE id = ANY($1::uuid[])
       AND settled_at IS NULL
     ORDER BY submission_id, n, status, id
  ), together AS (
    -- four whole rows, each null where there is no such report. COALESCE takes the first that exists. Conditions test
    -- their ids, because IS NOT NULL is false for a row with any null column
    SELECT *,
           any_value(report) FILTER (WHERE status = 'SENT') OVER of_message AS sent,
           any_value(report) FILTER (WHERE status = 'FAILED') OVER of_message AS failed,
           any_value(report) FILTER (WHERE status = 'DELIVERED') OVER of_message AS delivered,
           any_value(report) FILTER (WHERE status = 'READ') OVER of_message AS read
      FROM reported
    WINDOW of_message AS (PARTITION BY submission_id, n)
  ), candidate AS (
    -- the last report; and the one before a Read without a Delivered. Without a Read the second condition adds no row.
    -- Events that move no message, such as RECEIVED, drop out here
    SELECT *
      FROM together
     WHERE id = (COALESCE(read, delivered, failed, sent)).id
        OR id = (COALESCE(failed, sent)).id AND (delivered).id IS NULL
     ORDER BY submission_id, n
  )
  UPDATE message m
     SET status = r.status,
         -- when to ask for a missing report, and which gateway: a Sent keeps the time, but not that of a parked message,
         -- and sets that of a held one; a later status clears both. Both are null for nearly all messages, whose time is
         -- that of their claim in \`claim_batch\`, so they change no index
         due_at = CASE
           WHEN r.status <> 'SENT' THEN NULL
           WHEN m.due_at = 'infinity' OR m.held_until IS NOT NULL
           THEN now() + make_interval(secs => ${RESCUE_AFTER_SECONDS})
           ELSE m.due_at
         END,
         asks = CASE
           WHEN r.status = 'SENT' AND (m.due_at IS NOT NULL OR m.held_until IS NOT NULL)
           THEN ${GATEWAY}
         END,
         -- a message may be reclaimed and held before the report of its first submit comes
         held_until = NULL,
         -- the reports that move it, in order. WHEN: no report of the batch precedes \`r\`, as for nearly all messages. The
         -- ELSE has the same result then, and costs more. It adds a Sent only as the first entry, also when the submit
         -- has set the status already
         moved_by = m.moved_by || CASE
           WHEN r.id = (COALESCE(r.sent, r.failed, r.delivered, r.read)).id THEN ARRAY[r.id]
           ELSE array_remove(ARRAY[
             CASE WHEN m.moved_by IS NULL THEN (r.sent).id END,
             CASE WHEN ${isBefore('FAILED')} THEN (r.failed).id END,
             CASE WHEN ${isBefore('DELIVERED')} THEN (r.delivered).id END,
             CASE WHEN r.status = 'READ' THEN r.id END
           ], NULL)
         END,
         gateway = ${GATEWAY},
         unconfirmed_at = NULL,
         err_code = r.err_code,
         status_description = r.description,
         -- of the last report that moves it and names one
         operator_circle = COALESCE(
           r.operator_circle,
           CASE WHEN ${isBefore('DELIVERED')} THEN (r.delivered).operator_circle END,
           CASE WHEN ${isBefore('FAILED')} THEN (r.failed).operator_circle END,
           CASE WHEN m.moved_by IS NULL THEN (r.sent).operator_circle END,
           m.operator_circle
         ),
         -- any report implies that the message was sent; by our clock, as the submit sets it, unlike the times below
         sent_at = COALESCE(m.sent_at, (r.sent).received_at, (r.failed).received_at, (r.delivered).received_at,
                            r.received_at),
         -- a message that was read was delivered
         delivered_at = COALESCE(m.delivered_at, (r.delivered).reported_at,
                                 CASE WHEN r.status = 'READ' THEN r.reported_at END),
         read_at = CASE WHEN r.status = 'READ' THEN r.reported_at END,
         -- a gateway may correct a failure: the time of the failure stays
         failed_at = COALESCE(m.failed_at, CASE
           WHEN ${isBefore('FAILED')} THEN (r.failed).reported_at
         END)
    FROM candidate AS r
    -- equals r.submission_id. Written so, the planner cannot infer m.submission_id = s.id: a plan made while the tables
    -- were nearly empty would find m by that alone, and read all messages of a submission for each report
    JOIN submission s ON s.id = (r.report).submission_id
   WHERE m.submission_id = r.submission_id
     AND m.n = r.n
     AND ${guard(sql`
       ${MAY_MOVE}
       -- does not skip Sent while the report of it may still arrive; Failed may skip it
       AND NOT (m.moved_by IS NULL
                AND (r.sent).id IS NULL
                AND (r.failed).id IS NULL
                AND ${mayBeEarly('r.received_at')})
       -- the last report; or, while a Read waits for a Delivered, the one before it, if any. Without a Read the WHEN
       -- is not true
       AND r.id = CASE
                    WHEN m.delivered_at IS NULL
                         AND (r.delivered).id IS NULL
                         AND ${mayBeEarly('(r.read).received_at')}
                    THEN (COALESCE(r.failed, r.sent)).id
                    ELSE (COALESCE(r.read, r.delivered, r.failed, r.sent)).id
                  END`)}
  RETURNING ${appliedReport((message) => message)},
            -- null when no report of the batch precedes \`r\`. May have \`r\` itself, and reports that move nothing
            CASE
              WHEN r.id <> (COALESCE(r.sent, r.failed, r.delivered, r.read)).id
              THEN json_build_array(
                ${earlierReport('sent')},
                ${earlierReport('failed')},
                ${earlierReport('delivered')}
              )
            END AS before,
            ${ON_DISK}`;

/** A row of APPLY: the last report that moved a message, and those before it. */
interface MovedColumns extends AppliedColumns {
  before: EarlierReport[] | null;
}

/** A report of `before`; all of it is null where there is none. */
interface EarlierReport
  extends Pick<AppliedReport, 'reportId' | 'gateway' | 'errCode' | 'description' | 'operatorCircle'> {
  status: 'SENT' | 'FAILED' | 'DELIVERED';
  reportedAt: string;
}

/**
 * Moves messages by their unsettled reports, as APPLY describes. The moves are on disk when it returns, unless `db` is
 * in a transaction.
 *
 * @returns the reports that moved the messages which this call moves, those of a message in STATUS_ORDER. That includes
 * those among `ids` that an earlier run applied and did not push. `listUnsettled` returns the others: they moved nothing
 * now, wait, match no message, or are events. The caller applies again those that may still move their message.
 */
export async function applyReports(db: EntityManager, ids: string[]): Promise<AppliedReport[]> {
  const applied: AppliedReport[] = [];
  for (const row of await returning<MovedColumns>(db, APPLY, [ids])) {
    if (row.before !== null) applied.push(...earlierReports(row, row.before));
    applied.push(toApplied(row));
  }
  return applied;
}

/** The reports of `before` that moved the message before its last one. They share the columns of the message. */
function earlierReports(last: AppliedColumns, before: EarlierReport[]): AppliedReport[] {
  return before.flatMap(({ reportedAt, ...report }) => {
    const place = last.earlier?.indexOf(report.reportId) ?? -1;
    if (place < 0) return [];
    return toApplied({
      ...last,
      ...report,
      deliveredAt: report.status === 'DELIVERED' ? last.deliveredAt : null, // `last` is a Read then
      isFinal: report.status !== 'SENT',
      earlier: place === 0 ? null : last.earlier!.slice(0, place),
      chatAt: last.chatAt && new Date(reportedAt),
    });
  });
}

/** An unsettled report that `applyReports` did not return; null columns when its subject is unknown. */
export interface UnsettledReport extends Omit<AppliedReport, 'accountId'> {
  accountId: string | null;
  /** True when it may still move its message, which was stored, submitted or moved since. */
  mayMove: boolean;
  /** True when it is still to be pushed: it moved the message and its push is not recorded, or it is an event. */
  needsPush: boolean;
  /** Milliseconds since it arrived, while it may wait for the status before it; null when it does not wait. */
  earlyForMs: number | null;
}

type UnsettledColumns = AppliedColumns & Pick<UnsettledReport, 'mayMove' | 'needsPush' | 'earlyForMs'>;

/** $1 ids of reports, $2 EVENT_STATUSES. */
const UNSETTLED = sql`
  SELECT ${APPLIED_REPORT},
         COALESCE(${MAY_MOVE}, false) AS "mayMove",
         (COALESCE(r.id = ANY(m.moved_by), false) OR r.status = ANY($2::text[])) AS "needsPush",
         CASE WHEN ${mayBeEarly('r.received_at')}
              THEN (extract(epoch FROM now() - r.received_at) * 1000)::integer
         END AS "earlyForMs"
    FROM message_event r
    ${REPORT_SUBJECT}
   WHERE r.id = ANY($1::uuid[])
     AND r.settled_at IS NULL`;

/** Lists the unsettled reports among `ids`. */
export async function listUnsettled(db: EntityManager, ids: string[]): Promise<UnsettledReport[]> {
  const rows: UnsettledColumns[] = await db.query(UNSETTLED, [ids, EVENT_STATUSES]);
  return rows.map((row) => {
    const { accountId, mayMove, needsPush, earlyForMs } = row;
    return { ...toApplied(row), accountId, mayMove, needsPush, earlyForMs };
  });
}
