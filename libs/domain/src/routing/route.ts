/** The types of messages that a route may match. Of chat-app messages codes are OTP, and marketing is PROMO. */
export const ROUTED_TYPES = ['OTP', 'TRANS', 'PROMO'] as const;
export type RoutedType = (typeof ROUTED_TYPES)[number];

/** Hours of a day, in a zone. `from` after `to` crosses midnight. */
export interface RouteHours {
  /** `HH:MM` */
  from: string;
  to: string;
  /** IANA name, such as Asia/Kolkata. */
  zone: string;
}

/** The messages that a route takes: those that match every given field. A list matches by any of its entries. */
export interface RouteMatch {
  /** First digits of the recipient. */
  prefixes?: string[];
  /** ISO 3166 codes of the recipient's country, such as IN. */
  countries?: string[];
  types?: RoutedType[];
  /** Account ids. */
  accounts?: string[];
  senders?: string[];
  hours?: RouteHours;
}

/** A gateway of a route, and the share of its messages. */
export interface RouteTarget {
  gateway: string;
  /** Share among the targets; 0 takes messages only when no other target is healthy. */
  weight: number;
  /** Cost of a segment in any one unit; the cheapest healthy targets get every message. Null for no preference. */
  cost: number | null;
}

/** Rules of a route about messages that a gateway did not take. */
export interface RoutePolicy {
  /** Time that a message may be throttled before the next gateway is tried, in milliseconds. */
  failoverAfterMs: number;
  /** Submits a message again whose submit went without an answer: it may arrive twice. */
  resendUnconfirmed: boolean;
}

export const DEFAULT_ROUTE_POLICY: RoutePolicy = { failoverAfterMs: 30_000, resendUnconfirmed: false };

/** A rule by which messages get their gateway. Routes are tried in order of priority, then of id. */
export interface Route {
  id: string;
  /** The name by which people know it; absent where none is stored. */
  name?: string;
  /** The lowest is first. */
  priority: number;
  match: RouteMatch;
  targets: RouteTarget[];
  /** Gateways that take what the targets cannot, in order. */
  fallbacks: string[];
  policy: RoutePolicy;
}
