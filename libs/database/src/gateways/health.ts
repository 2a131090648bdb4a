import type { GatewayCounts } from '@signalbox/domain/routing/gateway-health';
import type { EntityManager } from 'typeorm';
import { countChanged } from '../core/returning.ts';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';

/** Outcomes and final reports of a gateway that a process saw. */
export interface NamedCounts extends GatewayCounts {
  gateway: string;
}

const COUNTS = rowset('given', {
  gateway: 'text',
  accepted: 'integer',
  refused: 'integer',
  delivered: 'integer',
  failed: 'integer',
});

const ADD = sql`
  INSERT INTO gateway_minute AS gm (gateway, minute, accepted, refused, delivered, failed)
  SELECT given.gateway, date_trunc('minute', now()), given.accepted, given.refused, given.delivered, given.failed
    FROM ${COUNTS.from}
    JOIN gateway g ON g.name = given.gateway
   ORDER BY given.gateway
  ON CONFLICT ON CONSTRAINT gateway_minute_pkey DO UPDATE
     SET accepted = gm.accepted + EXCLUDED.accepted,
         refused = gm.refused + EXCLUDED.refused,
         delivered = gm.delivered + EXCLUDED.delivered,
         failed = gm.failed + EXCLUDED.failed`;

/** Adds counts to the current minute. Gateways that are no rows are not counted. */
export async function addGatewayCounts(db: EntityManager, counts: readonly NamedCounts[]): Promise<void> {
  await db.query(ADD, COUNTS.values(counts));
}

/** Sums the counts of each gateway over the last minutes: ten by default, at most the hour for which they are kept. */
export function sumGatewayCounts(db: EntityManager, minutes = 10): Promise<NamedCounts[]> {
  return db.query(
    `SELECT gateway, sum(accepted)::integer AS accepted, sum(refused)::integer AS refused,
            sum(delivered)::integer AS delivered, sum(failed)::integer AS failed
       FROM gateway_minute
      WHERE minute > now() - make_interval(mins => $1)
      GROUP BY gateway`,
    [minutes],
  );
}

/** Deletes counts older than any reader needs; returns the number of rows. */
export function sweepGatewayCounts(db: EntityManager): Promise<number> {
  return countChanged(db, `DELETE FROM gateway_minute WHERE minute < now() - interval '1 hour'`);
}
