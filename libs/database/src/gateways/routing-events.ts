import type { MessageKey } from '@signalbox/domain/message-id';
import type { EntityManager } from 'typeorm';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';

/** A decision about the gateway of a message, as its timeline shows it. */
export interface RoutingEvent extends MessageKey {
  event: 'ROUTED' | 'FAILED_OVER' | 'UNCONFIRMED';
  /** The gateway that got the message; of FAILED_OVER the one that did not. */
  gateway: string;
  /** One sentence for people. */
  reason: string;
}

const EVENTS = rowset('given', {
  submission_id: 'uuid',
  n: 'integer',
  event: 'text',
  gateway: 'text',
  reason: 'text',
});

const INSERT = sql`
  INSERT INTO routing_event (id, ${EVENTS.columns})
  SELECT uuidv7(), given.*
    FROM ${EVENTS.from}`;

/** Stores decisions. */
export async function insertRoutingEvents(db: EntityManager, events: readonly RoutingEvent[]): Promise<void> {
  await db.query(INSERT, EVENTS.values(events));
}

/** A decision about a message, with its time. */
export type RoutingDecision = Omit<RoutingEvent, keyof MessageKey> & { at: Date };

/** Lists the decisions about a message, oldest first. */
export function listRoutingEvents(
  db: EntityManager,
  { submissionId, n }: MessageKey,
): Promise<RoutingDecision[]> {
  return db.query(
    `SELECT event, gateway, reason, at
       FROM routing_event
      WHERE submission_id = $1
        AND n = $2
      ORDER BY id`,
    [submissionId, n],
  );
}
