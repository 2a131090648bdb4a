import { countryOf } from './country.ts';
import type { RouteHours, RouteMatch, RoutedType } from './route.ts';

/** The facts of a message that routes compare. */
export interface RoutedMessage {
  messageId: string;
  accountId: string;
  sender: string;
  /** Digits only. */
  recipient: string;
  type: RoutedType;
}

type Check = (match: RouteMatch, message: RoutedMessage, at: Date) => boolean | undefined;

/** True or undefined for a message that agrees in the field. The cheapest checks come first. */
const CHECKS: Record<keyof RouteMatch, Check> = {
  types: ({ types }, { type }) => types?.includes(type),
  accounts: ({ accounts }, { accountId }) => accounts?.includes(accountId),
  senders: ({ senders }, { sender }) => senders?.includes(sender),
  prefixes: ({ prefixes }, { recipient }) => prefixes?.some((prefix) => recipient.startsWith(prefix)),
  countries: ({ countries }, { recipient }) => countries?.includes(countryOf(recipient) ?? ''),
  hours: (match, _message, at) => isInHours(match, at),
};

const FIELDS = Object.keys(CHECKS) as (keyof RouteMatch)[];

/** Finds the first field of a match that a message differs in; undefined when the route takes it. */
export function findMismatch(
  match: RouteMatch,
  message: RoutedMessage,
  at: Date,
): keyof RouteMatch | undefined {
  return FIELDS.find((field) => CHECKS[field](match, message, at) === false);
}

/** Is true while a route takes messages by its hours. */
export function isInHours({ hours }: RouteMatch, at: Date): boolean {
  return hours === undefined || isWithin(hours, at);
}

/** Is true from `from`, up to and without `to`. */
function isWithin({ from, to, zone }: RouteHours, at: Date): boolean {
  const now = clockOf(zone, at);
  return from <= to ? from <= now && now < to : from <= now || now < to;
}

/** The last time asked for, by zone: messages of a minute share it. */
const clocks = new Map<string, { format: Intl.DateTimeFormat; minute: number; text: string }>();

/** The local time of a zone as HH:MM. */
function clockOf(zone: string, at: Date): string {
  const minute = Math.floor(at.getTime() / 60_000);
  let clock = clocks.get(zone);
  if (!clock) {
    const options = { timeZone: zone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    clock = { format: new Intl.DateTimeFormat('en-GB', options), minute: Number.NaN, text: '' };
    clocks.set(zone, clock);
  }
  if (clock.minute !== minute) Object.assign(clock, { minute, text: clock.format.format(at) });
  return clock.text;
}
