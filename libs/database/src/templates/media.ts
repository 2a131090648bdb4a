import type { MediaKind } from '@signalbox/domain/templates/template';
import type { EntityManager } from 'typeorm';

/** How long an unused file is kept, and its handle counts (decisions, generateHeaderHandle). */
const KEEP_DAYS = 30;
/** After this an upload that has not ended never will: requests are cut off long before. */
const UPLOAD_HOURS = 1;
const SWEEP_LIMIT = 100;

/** Notes that a file is about to be stored. */
export async function insertMedia(
  db: EntityManager,
  accountId: string,
  id: string,
  handle: string,
): Promise<void> {
  await db.query(
    `INSERT INTO media (id, account_id, handle, expires_at) VALUES ($1, $2, $3, now() + interval '${UPLOAD_HOURS} hours')`,
    [id, accountId, handle],
  );
}

/** A file as it turned out to be. */
export interface StoredMedia {
  kind: MediaKind;
  mimeType: string;
  sizeBytes: number;
}

/** Notes that a file is stored: from now on its handle can be used. */
export async function finishMedia(
  db: EntityManager,
  id: string,
  { kind, mimeType, sizeBytes }: StoredMedia,
): Promise<void> {
  await db.query(
    `UPDATE media SET kind = $2, mime_type = $3, size_bytes = $4, stored_at = now(), expires_at = now() + interval '${KEEP_DAYS} days'
      WHERE id = $1 AND stored_at IS NULL`,
    [id, kind, mimeType, sizeBytes],
  );
}

/** Keeps the files of these handles from now on, as a template shows them; returns the kinds of those that the account has and that have not expired. */
export async function useMedia(
  db: EntityManager,
  accountId: string,
  handles: string[],
): Promise<Map<string, MediaKind>> {
  const [used] = (await db.query(
    `UPDATE media SET used_at = COALESCE(used_at, now())
      WHERE account_id = $1 AND handle = ANY($2::text[]) AND stored_at IS NOT NULL AND expires_at > now()
     RETURNING handle, kind`,
    [accountId, handles],
  )) as [{ handle: string; kind: MediaKind }[], number];
  return new Map(used.map(({ handle, kind }) => [handle, kind]));
}

/** Files that nothing uses and nothing can use any more, a bounded number at a time. */
export async function listAbandonedMedia(db: EntityManager): Promise<string[]> {
  const rows: { id: string }[] = await db.query(
    `SELECT id FROM media WHERE used_at IS NULL AND expires_at < now() ORDER BY expires_at LIMIT ${SWEEP_LIMIT}`,
  );
  return rows.map(({ id }) => id);
}

/** Forgets files that are removed. */
export async function deleteMedia(db: EntityManager, ids: string[]): Promise<void> {
  await db.query(`DELETE FROM media WHERE id = ANY($1::uuid[]) AND used_at IS NULL`, [ids]);
}
