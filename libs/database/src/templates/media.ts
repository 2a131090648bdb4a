import type { MediaKind } from '@signalbox/domain/templates/template';
import type { EntityManager } from 'typeorm';
import { returning } from '../core/returning.ts';
import { sql } from '../core/sql.ts';

/** The days that an unused file and its handle are kept. */
const KEEP_DAYS = 30;
/** After this an upload that has not ended never will: requests time out long before. */
const UPLOAD_HOURS = 1;
const SWEEP_LIMIT = 100;

/** Inserts the row of a file that is about to be stored, with its maximum size. */
export async function insertMedia(
  db: EntityManager,
  accountId: string,
  id: string,
  handle: string,
  maxBytes: number,
): Promise<void> {
  await db.query(
    `INSERT INTO media (id, account_id, handle, size_bytes, expires_at)
     VALUES ($1, $2, $3, $4, now() + interval '${UPLOAD_HOURS} hours')`,
    [id, accountId, handle, maxBytes],
  );
}

/** The facts about a stored file. */
export interface StoredMedia {
  kind: MediaKind;
  mimeType: string;
  sizeBytes: number;
}

/** Marks a file as stored: from now on its handle can be used. */
export async function finishMedia(
  db: EntityManager,
  id: string,
  { kind, mimeType, sizeBytes }: StoredMedia,
): Promise<void> {
  await db.query(
    `UPDATE media
        SET kind = $2, mime_type = $3, size_bytes = $4,
            stored_at = now(), expires_at = now() + interval '${KEEP_DAYS} days'
      WHERE id = $1
        AND stored_at IS NULL`,
    [id, kind, mimeType, sizeBytes],
  );
}

/**
 * Marks the files of these handles as used by a template, so that they are kept.
 *
 * @returns the kinds of those that the account has and that have not expired
 */
export async function useMedia(
  db: EntityManager,
  accountId: string,
  handles: string[],
): Promise<Map<string, MediaKind>> {
  const used = await returning<{ handle: string; kind: MediaKind }>(
    db,
    `UPDATE media
        SET used_at = COALESCE(used_at, now())
      WHERE id IN (
        SELECT id
          FROM media
         WHERE account_id = $1
           AND handle = ANY($2::text[])
           AND stored_at IS NOT NULL
           AND expires_at > now()
         ORDER BY id
           FOR NO KEY UPDATE
      )
     RETURNING handle, kind`,
    [accountId, handles],
  );
  return new Map(used.map(({ handle, kind }) => [handle, kind]));
}

/** Lists expired files that no template uses, a bounded number per call. */
export async function listAbandonedMedia(db: EntityManager): Promise<string[]> {
  const rows: { id: string }[] = await db.query(
    `SELECT id
       FROM media
      WHERE used_at IS NULL
        AND expires_at < now()
      ORDER BY expires_at
      LIMIT ${SWEEP_LIMIT}`,
  );
  return rows.map(({ id }) => id);
}

/** The unused files among $1, locked in the order of their ids. */
const UNUSED = sql`
  SELECT id
    FROM media
   WHERE id = ANY($1::uuid[])
     AND used_at IS NULL
   ORDER BY id
     FOR UPDATE`;

const SET_ASIDE = sql`
  UPDATE media
     SET stored_at = NULL, expires_at = now() + interval '${UPLOAD_HOURS} hours'
   WHERE id IN (
     ${UNUSED}
   )`;

/**
 * Sets files aside that could not be removed: each counts as an upload that has not ended, whose handle is invalid, and
 * expires again in an hour.
 */
export async function setMediaAside(db: EntityManager, ids: string[]): Promise<void> {
  await db.query(SET_ASIDE, [ids]);
}

const DELETE = sql`
  DELETE FROM media
   WHERE id IN (
     ${UNUSED}
   )`;

/** Deletes the rows of files that are removed. */
export async function deleteMedia(db: EntityManager, ids: string[]): Promise<void> {
  await db.query(DELETE, [ids]);
}

/** A stored file that a template names. */
export interface NamedMedia {
  id: string;
  handle: string;
  mimeType: string;
  sizeBytes: number;
}

/** Lists the stored files of an account by their handles. */
export function listMedia(db: EntityManager, accountId: string, handles: string[]): Promise<NamedMedia[]> {
  return db.query(
    `SELECT id, handle, mime_type AS "mimeType", size_bytes AS "sizeBytes"
       FROM media
      WHERE account_id = $1
        AND handle = ANY($2::text[])
        AND stored_at IS NOT NULL`,
    [accountId, handles],
  );
}
