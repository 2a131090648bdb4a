import type { Channel } from '@signalbox/domain/channel';
import type { Violation } from '@signalbox/domain/violation';
import { CampaignFilter, ChannelFilter, ReferenceFilter, SenderFilter, TimeFilter } from './filter-fields.ts';
import { PageQuery } from './page-query.ts';
import { type TimeRange, readTimes } from './time-range.ts';

/** Selects sends, or their messages, by the fields of the send; all given fields must match. */
export class SentQuery extends PageQuery {
  @ChannelFilter()
  channel?: Channel;

  @CampaignFilter()
  campaignName?: string;

  @ReferenceFilter()
  clientRef?: string;

  @SenderFilter()
  sender?: string;

  @TimeFilter('Accepted at or after this time, in ISO 8601 with its zone.', '2026-11-20T00:00:00Z')
  from?: string;

  @TimeFilter('Accepted before this time.', '2026-11-21T00:00:00Z')
  to?: string;

  times: TimeRange = { from: undefined, to: undefined };

  static check(query: SentQuery): Violation[] {
    return readTimes(query, query);
  }
}
