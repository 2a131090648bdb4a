import { LEASE_SECONDS } from '@signalbox/domain/limits';
import { sql } from '../core/sql.ts';

/** True for a message that waits for a gateway for longer than a claim lasts. */
export const IS_THROTTLED = sql`
  status = 'PENDING'
  AND throttles > 0
  AND held_until IS NULL
  AND claimed_until > clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})`;
