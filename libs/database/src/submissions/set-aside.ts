import { CHANNELS, type Channel } from '@signalbox/domain/channel';
import { MIN_UUID } from '@signalbox/domain/id-time';
import type { Lane } from '@signalbox/domain/lane';
import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';
import { READY, deleteReady, oldestReady } from './ready-tables.ts';

/** The `after` of a round that begins with the first account or sender. */
const FIRST: Record<Channel, string> = { sms: MIN_UUID, chatapp: '' };

/** $1 lane, $2 the account or sender after which the round begins. */
const LOCK_NEXT = byChannel((channel) => {
  const { table, sharedBy } = READY[channel];
  return sql`
    WITH next AS (
      SELECT ${sharedBy}
        FROM ${table}
       WHERE lane = $1
         AND ${sharedBy} > $2
       ORDER BY ${sharedBy}
       LIMIT 1
    )
    SELECT oldest.id
      FROM next
     CROSS JOIN LATERAL (
       ${oldestReady(channel, 'next', '1', 's.id')}
     ) AS oldest
     WHERE oldest.is_ready`;
});

/**
 * Locks the submission that a round of one message would claim, until the end of the transaction.
 *
 * @param after the account or sender after which the round begins; null for the first
 * @returns undefined when there is none
 */
export async function lockNextReady(
  db: EntityManager,
  channel: Channel,
  lane: Lane,
  after: string | null,
): Promise<string | undefined> {
  const [row]: { id: string }[] = await db.query(LOCK_NEXT[channel], [lane, after ?? FIRST[channel]]);
  return row?.id;
}

const SET_ASIDE = byChannel(
  (channel) => sql`
    WITH aside AS (
      UPDATE submission
         SET waits = true, listed = false, due_at = 'infinity'
       WHERE id = $1
      RETURNING lane, account_id, sender, id
    )
    ${deleteReady(channel, 'aside')}`,
);

/** Parks a ready submission that is locked: it waits until an operator frees or discards it. */
export async function setAside(db: EntityManager, channel: Channel, id: string): Promise<void> {
  await db.query(SET_ASIDE[channel], [id]);
}

function byChannel(statement: (channel: Channel) => string): Record<Channel, string> {
  const entries = CHANNELS.map((channel) => [channel, statement(channel)]);
  return Object.fromEntries(entries) as Record<Channel, string>;
}
