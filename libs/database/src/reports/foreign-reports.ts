import type { MessageKey } from '@signalbox/domain/message-id';
import type { EntityManager } from 'typeorm';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';

/** A message that a callback of a gateway names by our id. */
export interface NamedMessage extends MessageKey {
  gateway: string;
}

const NAMED = rowset('named', { gateway: 'text', submission_id: 'uuid', n: 'integer' });

const LIST_FOREIGN = sql`
  SELECT named.gateway, named.submission_id AS "submissionId", named.n
    FROM ${NAMED.from}
    JOIN message m ON m.submission_id = named.submission_id AND m.n = named.n
   WHERE m.status <> 'PENDING' -- the gateway of a pending message may be one that did not take it
     AND m.gateway <> named.gateway`;

/**
 * Lists those of the messages that another gateway has. A pending message is not listed: its submit may not be recorded
 * yet.
 */
export function listForeign(db: EntityManager, named: readonly NamedMessage[]): Promise<NamedMessage[]> {
  return db.query(LIST_FOREIGN, NAMED.values(named));
}
