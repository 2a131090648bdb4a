import type { UseFormReturnType } from '@mantine/form';
import type { Route, RouteRequest } from '@signalbox/client';
import { WORDS } from './words.ts';

/** The fields of the form. */
export interface RouteValues {
  name: string;
  priority: number | string;
  enabled: boolean;
  prefixes: string[];
  countries: string[];
  types: string[];
  senders: string[];
  accounts: string[];
  from: string;
  to: string;
  zone: string;
  targets: { gateway: string; weight: number | string; cost: number | string }[];
  fallbacks: string[];
  failoverAfterMs: number | string;
  resendUnconfirmed: boolean;
}

export type RouteForm = UseFormReturnType<RouteValues>;

export const NEW_ROUTE: RouteValues = {
  name: '',
  priority: 100,
  enabled: true,
  prefixes: [],
  countries: [],
  types: [],
  senders: [],
  accounts: [],
  from: '',
  to: '',
  zone: '',
  targets: [{ gateway: '', weight: 1, cost: '' }],
  fallbacks: [],
  failoverAfterMs: 30_000,
  resendUnconfirmed: false,
};

const isNumber = (value: number | string) => (value === '' ? WORDS.noNumber : null);

/**
 * Fields that the form checks itself: an empty number would be sent as 0, and a refusal would name those of targets by
 * their place in the request.
 */
export const ROUTE_RULES = {
  priority: isNumber,
  failoverAfterMs: isNumber,
  targets: {
    gateway: (gateway: string | null) => (gateway ? null : WORDS.noGateway),
    weight: isNumber,
  },
};

/** Fills the form with a stored route. */
export function valuesOf({ name, priority, enabled, match, targets, fallbacks, policy }: Route): RouteValues {
  const { hours, ...lists } = match;
  return {
    ...NEW_ROUTE,
    ...lists,
    name,
    priority,
    enabled,
    from: hours?.from ?? '',
    to: hours?.to ?? '',
    zone: hours?.zone ?? '',
    targets: targets.map(({ gateway, weight, cost }) => ({ gateway, weight, cost: cost ?? '' })),
    fallbacks,
    ...policy,
  };
}

/** The body of a request. */
export function bodyOf(values: RouteValues): RouteRequest {
  const { name, enabled, targets, fallbacks, resendUnconfirmed } = values;
  return {
    name: name.trim(),
    priority: Number(values.priority),
    enabled,
    match: matchOf(values),
    targets: targets.map(({ gateway, weight, cost }) => ({
      gateway,
      weight: Number(weight),
      cost: cost === '' ? null : Number(cost),
    })),
    fallbacks,
    policy: { failoverAfterMs: Number(values.failoverAfterMs), resendUnconfirmed },
  };
}

function matchOf({
  prefixes,
  countries,
  types,
  senders,
  accounts,
  from,
  to,
  zone,
}: RouteValues): RouteRequest['match'] {
  const lists = Object.entries({ prefixes, countries, types, senders, accounts }).filter(
    ([, list]) => list.length > 0,
  );
  const hours = from === '' && to === '' ? {} : { hours: { from, to, zone: zone === '' ? 'UTC' : zone } };
  return { ...Object.fromEntries(lists), ...hours };
}
