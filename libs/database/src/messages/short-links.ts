import { randomUUIDv7 } from 'node:crypto';
import type { ClickKind } from '@signalbox/domain/links/click-kind';
import type { MessageKey } from '@signalbox/domain/message-id';
import type { EntityManager } from 'typeorm';
import { countChanged } from '../core/returning.ts';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';

/**
 * Maximum number of rows that one statement of a repeated pass claims, so that it holds its locks for a moment only.
 */
export const LINK_BATCH = 10_000;

/** The link number `link` of a message. Its target is stored once, in the submission. */
export interface NewShortLink extends MessageKey {
  code: string;
  accountId: string;
  link: number;
}

const LINKS = rowset('given', {
  code: 'text',
  account_id: 'uuid',
  submission_id: 'uuid',
  n: 'integer',
  link: 'smallint',
});

const INSERT_LINKS = sql`
  INSERT INTO short_link (${LINKS.columns}, expires_at)
  SELECT given.*, now() + make_interval(days => $6)
    FROM ${LINKS.from}
   ORDER BY code
  ON CONFLICT ON CONSTRAINT short_link_pkey DO NOTHING`;

/** Stores links that expire after `days`. A link that exists stays as it is, so a message may be rendered again. */
export async function insertShortLinks(
  db: EntityManager,
  links: NewShortLink[],
  days: number,
): Promise<void> {
  await db.query(INSERT_LINKS, [...LINKS.values(links), days]);
}

/** A link with its target. */
export interface ShortLink extends NewShortLink {
  target: string;
}

/** Finds the links of these codes that have not expired, in one statement. */
export function findShortLinks(db: EntityManager, codes: string[]): Promise<ShortLink[]> {
  return db.query(
    `SELECT l.code, l.account_id AS "accountId", l.submission_id AS "submissionId", l.n, l.link,
            s.content->'links'->'targets'->>(l.link - 1) AS target
       FROM short_link l
       JOIN submission s ON s.id = l.submission_id
      WHERE l.code = ANY($1::text[])
        AND l.expires_at > now()`,
    [codes],
  );
}

/** Deletes links that have expired, a bounded number per call; returns their number. */
export function deleteExpiredLinks(db: EntityManager): Promise<number> {
  return countChanged(
    db,
    `DELETE FROM short_link
      WHERE code IN (
        SELECT code
          FROM short_link
         WHERE expires_at < now()
         ORDER BY expires_at
         LIMIT ${LINK_BATCH}
      )`,
  );
}

/** Maximum number of clicks that are counted: anybody may follow a link, and one more must not fail the others. */
export const MAX_CLICKS = 2_147_483_647;

/** One request for a link. */
export interface NewClick extends MessageKey {
  accountId: string;
  link: number;
  kind: ClickKind;
  clickedAt: Date;
}

const CLICKS = rowset('click', {
  id: ['uuid', (_click: NewClick) => randomUUIDv7()],
  account_id: 'uuid',
  submission_id: 'uuid',
  n: 'integer',
  link: 'smallint',
  kind: 'text',
  clicked_at: 'timestamptz',
});

const INSERT_CLICKS = sql`
  INSERT INTO short_link_click (${CLICKS.columns})
  SELECT *
    FROM ${CLICKS.from}`;

/** Appends clicks. No row of a link is touched, however often it is followed. */
export async function insertClicks(db: EntityManager, clicks: NewClick[]): Promise<void> {
  await db.query(INSERT_CLICKS, CLICKS.values(clicks));
}

/**
 * Adds the oldest clicks to the totals of their links, each once: a click is deleted in the statement that counts it.
 *
 * @returns the number of clicks added, LINK_BATCH at most
 */
export async function addUpClicks(db: EntityManager): Promise<number> {
  const [row]: { count: number }[] = await db.query(
    `WITH taken AS (
       DELETE FROM short_link_click
        WHERE id IN (
          SELECT id
            FROM short_link_click
           ORDER BY id
           LIMIT ${LINK_BATCH}
             FOR UPDATE SKIP LOCKED
        )
       RETURNING submission_id, n, link, kind, account_id, clicked_at
     ), added AS (
       INSERT INTO short_link_total AS lt (submission_id, n, link, kind, account_id, clicks, first_at, last_at)
       SELECT submission_id, n, link, kind, account_id, count(*), min(clicked_at), max(clicked_at)
         FROM taken
        GROUP BY submission_id, n, link, kind, account_id
        ORDER BY submission_id, n, link, kind
       ON CONFLICT ON CONSTRAINT short_link_total_pkey DO UPDATE
          SET clicks = LEAST(lt.clicks::bigint + EXCLUDED.clicks, ${MAX_CLICKS}),
              first_at = LEAST(lt.first_at, EXCLUDED.first_at),
              last_at = GREATEST(lt.last_at, EXCLUDED.last_at)
     )
     SELECT count(*)::integer AS count FROM taken`,
  );
  return row?.count ?? 0;
}

/** The clicks of one kind of visitor on a link of a message. */
export interface LinkClicks {
  link: number;
  target: string;
  kind: ClickKind;
  clicks: number;
  firstAt: Date;
  lastAt: Date;
}

/** Lists the clicks on the links of a message of an account, including those not added up yet. */
export function listClicks(
  db: EntityManager,
  accountId: string,
  { submissionId, n }: MessageKey,
): Promise<LinkClicks[]> {
  return db.query(
    `SELECT click.link, s.content->'links'->'targets'->>(click.link - 1) AS target, click.kind,
            LEAST(sum(click.clicks), ${MAX_CLICKS})::integer AS clicks,
            min(click.first_at) AS "firstAt", max(click.last_at) AS "lastAt"
       FROM (
         SELECT link, kind, clicks, first_at, last_at
           FROM short_link_total
          WHERE submission_id = $2 AND n = $3
          UNION ALL
         SELECT link, kind, 1, clicked_at, clicked_at
           FROM short_link_click
          WHERE submission_id = $2 AND n = $3
       ) AS click
       JOIN submission s ON s.id = $2 AND s.account_id = $1
      GROUP BY click.link, click.kind, s.content
      ORDER BY "firstAt"`,
    [accountId, submissionId, n],
  );
}
