import type { Channel } from '../channel.ts';
import { countryOf } from '../routing/country.ts';
import type { Lane, SmsLane } from '../lane.ts';

/** Filters of a webhook. A report must match every list; an absent or empty list matches all. */
export interface PushFilters {
  /** Lane of the SMS, the `type` of its request. */
  type?: SmsLane[];
  /** Status in its wire form. */
  status?: string[];
  sender?: string[];
  /** Country of the recipient, as two capital letters (ISO 3166-1). */
  country?: string[];
}

/** Statuses of pushes in their wire form, by channel. SMS reports have no Read. */
export const PUSHED_STATUSES = {
  sms: ['Sent', 'Delivered', 'Failed'],
  chatapp: ['Sent', 'Delivered', 'Read', 'Failed'],
} as const;

/** Kinds of events. SMS has the last one only: its statuses are delivery reports. */
export const CHAT_EVENTS = ['message.sent', 'message.status', 'message.received'] as const;

export type ChatEvent = (typeof CHAT_EVENTS)[number];

/** The events that a new webhook of a channel gets by default. */
export function defaultEvents(channel: Channel | undefined): readonly ChatEvent[] {
  return channel === 'chatapp' ? CHAT_EVENTS : [];
}

/** Properties of a report that filters apply to. */
export interface FilteredReport {
  /** Null for an inbound message. */
  lane: Lane | null;
  /** Status in its wire form; null for a report that changes no status, which passes any filter by status. */
  status: string | null;
  sender: string;
  recipient: string;
}

/** Checks that a report passes the filters of a webhook. */
export function isWanted(filters: PushFilters, { lane, status, sender, recipient }: FilteredReport): boolean {
  return (
    allows(filters.type, lane) &&
    (status === null || allows(filters.status, status)) &&
    allows(filters.sender, sender) &&
    (!filters.country?.length || allows(filters.country, countryOf(recipient)))
  );
}

function allows(list: readonly string[] | undefined, value: string | null | undefined): boolean {
  return !list?.length || list.includes(value ?? '');
}
