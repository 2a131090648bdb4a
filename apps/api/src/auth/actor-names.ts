import { listActorNames } from '@signalbox/database/users/audit';
import type { EntityManager } from 'typeorm';

/**
 * Adds to rows the names that their actors have now; null for an actor that is neither a user nor an API key, and for
 * one that was deleted.
 */
export async function withActorNames<Row extends { actor: string }>(
  db: EntityManager,
  accountId: string,
  rows: Row[],
): Promise<(Row & { actorName: string | null })[]> {
  const actors = [...new Set(rows.map(({ actor }) => actor))];
  const names = actors.some(isNamed)
    ? await listActorNames(db, accountId, actors)
    : new Map<string, string>();
  return rows.map((row) => ({ ...row, actorName: names.get(row.actor) ?? null }));
}

function isNamed(actor: string): boolean {
  return /^(user|api-key):/.test(actor);
}
