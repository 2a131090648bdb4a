import type { Violation } from '@signalbox/domain/violation';
import { TextFilter, TimeFilter } from '../http/filter-fields.ts';
import { PageQuery } from '../http/page-query.ts';
import { type TimeRange, readTimes } from '../http/time-range.ts';

/** Filters and paging of the audit log. */
export class AuditQuery extends PageQuery {
  @TextFilter(200, '`user:<id>`, `api-key:<id>` or `cli`.')
  actor?: string;

  @TextFilter(200, 'Operation id.', 'revokeApiKey')
  action?: string;

  @TextFilter(300, 'Id of what was changed.')
  target?: string;

  @TimeFilter('Start of the range, inclusive, in ISO 8601 with its zone.', '2026-11-20T00:00:00Z')
  from?: string;

  @TimeFilter('End of the range, exclusive.', '2026-11-21T00:00:00Z')
  to?: string;

  times: TimeRange = { from: undefined, to: undefined };

  static check(query: AuditQuery): Violation[] {
    return readTimes(query, query);
  }
}
