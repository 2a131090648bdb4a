import { randomUUIDv7 } from 'node:crypto';
import type { ClickKind } from '@signalbox/domain/links/click-kind';
import type { MessageKey } from '@signalbox/domain/message-id';
import type { EntityManager } from 'typeorm';

/** The most rows that one statement of a repeated pass takes, so that it is over in a moment. */
const BATCH = 10_000;

/** The link number `link` of a message. Where it leads stands in the submission. */
export interface NewShortLink extends MessageKey {
  code: string;
  accountId: string;
  link: number;
}

/** Stores links, each good for `days`. One that is there already stays as it is, so a message may be written again. */
export async function insertShortLinks(
  db: EntityManager,
  links: NewShortLink[],
  days: number,
): Promise<void> {
  await db.query(
    `INSERT INTO short_link (code, account_id, submission_id, n, link, expires_at)
     SELECT l.*, now() + make_interval(days => $6) FROM unnest($1::text[], $2::uuid[], $3::uuid[], $4::integer[], $5::smallint[]) AS l
     ON CONFLICT ON CONSTRAINT short_link_pkey DO NOTHING`,
    [
      links.map((l) => l.code),
      links.map((l) => l.accountId),
      links.map((l) => l.submissionId),
      links.map((l) => l.n),
      links.map((l) => l.link),
      days,
    ],
  );
}

/** A link that leads somewhere. */
export interface ShortLink extends NewShortLink {
  target: string;
}

/** The links of these codes that have not expired, in one statement. */
export function findShortLinks(db: EntityManager, codes: string[]): Promise<ShortLink[]> {
  return db.query(
    `SELECT l.code, l.account_id AS "accountId", l.submission_id AS "submissionId", l.n, l.link, s.content->'links'->'targets'->>(l.link - 1) AS target
       FROM short_link l JOIN submission s ON s.id = l.submission_id
      WHERE l.code = ANY($1::text[]) AND l.expires_at > now()`,
    [codes],
  );
}

/** Forgets links that have expired, a bounded number at a time. */
export async function deleteExpiredLinks(db: EntityManager): Promise<void> {
  await db.query(
    `DELETE FROM short_link WHERE code IN (SELECT code FROM short_link WHERE expires_at < now() ORDER BY expires_at LIMIT ${BATCH})`,
  );
}

/** Somebody followed a link. */
export interface NewClick extends MessageKey {
  accountId: string;
  link: number;
  kind: ClickKind;
  clickedAt: Date;
}

/** Appends clicks; no row of a link is touched, however often it is followed. */
export async function insertClicks(db: EntityManager, clicks: NewClick[]): Promise<void> {
  await db.query(
    `INSERT INTO short_link_click (id, account_id, submission_id, n, link, kind, clicked_at)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::integer[], $5::smallint[], $6::text[], $7::timestamptz[])`,
    [
      clicks.map(() => randomUUIDv7()),
      clicks.map((c) => c.accountId),
      clicks.map((c) => c.submissionId),
      clicks.map((c) => c.n),
      clicks.map((c) => c.link),
      clicks.map((c) => c.kind),
      clicks.map((c) => c.clickedAt.toISOString()),
    ],
  );
}

/**
 * Adds the oldest clicks to the totals of their links, each once: a click is deleted in the statement that counts it.
 *
 * @returns how many clicks were added
 */
export async function addUpClicks(db: EntityManager): Promise<number> {
  const [row]: { count: number }[] = await db.query(
    `WITH taken AS (
       DELETE FROM short_link_click WHERE id IN (SELECT id FROM short_link_click ORDER BY id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)
       RETURNING submission_id, n, link, kind, account_id, clicked_at
     ), added AS (
       INSERT INTO short_link_total AS t (submission_id, n, link, kind, account_id, clicks, first_at, last_at)
       SELECT submission_id, n, link, kind, account_id, count(*), min(clicked_at), max(clicked_at)
         FROM taken GROUP BY submission_id, n, link, kind, account_id ORDER BY submission_id, n, link, kind
       ON CONFLICT ON CONSTRAINT short_link_total_pkey DO UPDATE
          SET clicks = t.clicks + EXCLUDED.clicks, first_at = LEAST(t.first_at, EXCLUDED.first_at), last_at = GREATEST(t.last_at, EXCLUDED.last_at)
     )
     SELECT count(*)::integer AS count FROM taken`,
  );
  return row?.count ?? 0;
}

/** How often a kind of visitor followed a link of a message. */
export interface LinkClicks {
  link: number;
  target: string;
  kind: ClickKind;
  clicks: number;
  firstAt: Date;
  lastAt: Date;
}

/** The clicks on the links of a message of an account, those not added up yet included. */
export function listClicks(
  db: EntityManager,
  accountId: string,
  { submissionId, n }: MessageKey,
): Promise<LinkClicks[]> {
  return db.query(
    `SELECT c.link, s.content->'links'->'targets'->>(c.link - 1) AS target, c.kind, sum(c.clicks)::integer AS clicks,
            min(c.first_at) AS "firstAt", max(c.last_at) AS "lastAt"
       FROM (SELECT link, kind, clicks, first_at, last_at FROM short_link_total WHERE submission_id = $2 AND n = $3
             UNION ALL
             SELECT link, kind, 1, clicked_at, clicked_at FROM short_link_click WHERE submission_id = $2 AND n = $3) AS c
       JOIN submission s ON s.id = $2 AND s.account_id = $1
      GROUP BY c.link, c.kind, s.content ORDER BY "firstAt"`,
    [accountId, submissionId, n],
  );
}
