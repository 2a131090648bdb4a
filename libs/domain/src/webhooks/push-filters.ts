import { countryOf } from '../routing/country.ts';
import type { AnyLane, Lane } from '../lane.ts';

/** Which reports a webhook wants: all of those that match every list it has. A list that is absent or empty matches everything. */
export interface PushFilters {
  /** The lane of the SMS, the wire's `type`. */
  type?: Lane[];
  /** The status on the wire. */
  status?: string[];
  sender?: string[];
  /** The recipient's country, in two capital letters (ISO 3166-1). */
  country?: string[];
}

/** The words that the status of a push can be, by channel. An SMS report knows no Read (spec 2.8). */
export const PUSHED_STATUSES = {
  sms: ['Sent', 'Delivered', 'Failed'],
  chatapp: ['Sent', 'Delivered', 'Read', 'Failed'],
} as const;

/** Kinds of chat-app events (decisions, Webhooks). */
export const CHAT_EVENTS = ['message.sent', 'message.status', 'message.received'] as const;

export type ChatEvent = (typeof CHAT_EVENTS)[number];

/** What filters ask of a report. */
export interface FilteredReport {
  /** Null for a message that a recipient wrote. */
  lane: AnyLane | null;
  /** On the wire; null when the report tells of no change of status, which is what that filter is about. */
  status: string | null;
  sender: string;
  recipient: string;
}

/** Whether a webhook with these filters wants a report. */
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
