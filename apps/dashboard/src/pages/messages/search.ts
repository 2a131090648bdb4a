import type { CancelFilter, ListMessagesData } from '@signalbox/client';
import { CHANNELS, type Channel } from '@signalbox/domain/channel';
import { oneOf, textOf, withoutUndefined } from '../../parts/search-params.ts';
import { PERIODS } from './words.ts';

export const STATUSES = ['Pending', 'Sent', 'Delivered', 'Read', 'Failed'] as const;
export type MessageStatus = (typeof STATUSES)[number];
export type Period = keyof typeof PERIODS;

/** Search parameters that are compared as text. */
export const TEXT_FILTERS = ['sender', 'campaignName', 'clientRef', 'errCode', 'gateway'] as const;

/** The filters of the list of messages: search parameters of its address, so that a filter is a link. */
export interface MessageSearch {
  recipient?: string;
  submissionId?: string;
  /** Comma-separated statuses. */
  status?: string;
  channel?: Channel;
  sender?: string;
  campaignName?: string;
  clientRef?: string;
  errCode?: string;
  gateway?: string;
  /** The last hours or days, in place of `from` and `to`. */
  last?: Period;
  /** ISO 8601 instants. */
  from?: string;
  to?: string;
}

type Query = NonNullable<ListMessagesData['query']>;

const PERIOD_MS: Record<Period, number> = {
  '1h': 3_600_000,
  '24h': 86_400_000,
  '7d': 7 * 86_400_000,
  '30d': 30 * 86_400_000,
};

/** Reads the filters of an address, and leaves out all else. */
export function readSearch(given: Record<string, unknown>): MessageSearch {
  const statuses = statusesOf({ status: textOf(given['status']) });
  const last = oneOf(Object.keys(PERIODS) as Period[], given['last']);
  return withoutUndefined<MessageSearch>({
    recipient: textOf(given['recipient']),
    submissionId: textOf(given['submissionId']),
    status: statuses.length > 0 ? statuses.join(',') : undefined,
    channel: oneOf(CHANNELS, given['channel']),
    ...Object.fromEntries(TEXT_FILTERS.map((name) => [name, textOf(given[name])])),
    last,
    from: last ? undefined : instant(textOf(given['from'])),
    to: last ? undefined : instant(textOf(given['to'])),
  });
}

/** The statuses of a search, in their order. */
export function statusesOf({ status }: { status?: string | undefined }): MessageStatus[] {
  const named = new Set(status?.split(','));
  return STATUSES.filter((each) => named.has(each));
}

/** Builds the query of `GET /v1/messages`. @param nowMs the end of `last` */
export function queryOf({ last, status, ...same }: MessageSearch, nowMs: number): Query {
  const statuses = statusesOf({ status });
  return {
    ...same,
    ...(statuses.length > 0 && { status: statuses }),
    ...(last && { from: new Date(nowMs - PERIOD_MS[last]).toISOString() }),
  };
}

/**
 * Builds the filter of `POST /v1/messages/cancel`; undefined when there is no filter, or one that cancelling does not
 * know. Pending messages are meant in any case.
 */
export function cancelFilterOf(search: MessageSearch, nowMs: number): CancelFilter | undefined {
  const { status, recipient, submissionId, errCode, gateway, ...known } = search;
  const isOther = recipient ?? submissionId ?? errCode ?? gateway;
  const isPending = status === undefined || status === 'Pending';
  if (isOther !== undefined || !isPending || countFilters(known) === 0) return undefined;
  const { limit: _, cursor: __, status: ___, ...filter } = queryOf(known, nowMs);
  return filter;
}

/** Number of filters, the time as one. */
export function countFilters({ from, to, ...others }: MessageSearch): number {
  return Object.keys(withoutUndefined(others)).length + (from || to ? 1 : 0);
}

function instant(text: string | undefined): string | undefined {
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
