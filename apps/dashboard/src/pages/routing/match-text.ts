import type { Route } from '@signalbox/client';
import { counted } from '../../parts/counted.ts';
import { countryName } from '../../parts/country-name.ts';
import { typeName } from '../../parts/type-names.ts';
import { WORDS } from './words.ts';

const SHOWN = 6;

/** Describes the messages of a route: `Country India, Germany · Type Promotional`. */
export function matchText({ match }: Pick<Route, 'match'>): string {
  const { prefixes = [], countries = [], types = [], senders = [], accounts = [], hours } = match;
  const parts = [
    listed('Prefix', prefixes),
    listed('Country', countries.map(countryName)),
    listed('Type', types.map(typeName)),
    listed('Sender', senders),
    accounts.length > 0 && counted(accounts.length, 'account'),
    hours && `${hours.from} to ${hours.to} ${hours.zone}`,
  ].filter(Boolean);
  return parts.length === 0 ? WORDS.all : parts.join(' · ');
}

function listed(name: string, values: readonly string[]): string | false {
  const rest = values.length - SHOWN;
  return (
    values.length > 0 &&
    `${name} ${values.slice(0, SHOWN).join(', ')}${rest > 0 ? ` and ${rest.toLocaleString()} more` : ''}`
  );
}

/** Describes the gateways of a route: `smsc-1 × 3, smsc-2, then twilio`. */
export function gatewaysText({ targets, fallbacks }: Pick<Route, 'targets' | 'fallbacks'>): string {
  const shared = targets
    .map(({ gateway, weight }) => (weight === 1 ? gateway : `${gateway} × ${weight}`))
    .join(', ');
  return fallbacks.length === 0 ? shared : `${shared}, then ${fallbacks.join(', ')}`;
}
