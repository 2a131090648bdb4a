import { type MessageStatus, STATUS_ORDER } from '@signalbox/domain/message-status';
import { sql } from '../core/sql.ts';

/** True when a message `m` has a status before this one in STATUS_ORDER. */
export function isBefore(status: MessageStatus): string {
  const earlier = STATUS_ORDER.slice(0, STATUS_ORDER.indexOf(status));
  return `m.status IN (${earlier.map((each) => `'${each}'`).join(', ')})`;
}

/** True when a message `m` has a status before that of a report `r`; null for an event, which moves no message. */
export const IS_BEFORE_REPORT = sql`
  CASE r.status
    ${STATUS_ORDER.slice(1)
      .map((status) => `WHEN '${status}' THEN ${isBefore(status)}`)
      .join('\n')}
  END`;
