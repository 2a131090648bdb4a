import type { Route } from '@signalbox/client';
import { WORDS } from './words.ts';

/** The messages of a route in words: `countries IN, DE · types OTP`. */
export function matchText({ match }: Pick<Route, 'match'>): string {
  const parts = Object.entries(match).map(([name, value]) => {
    if (Array.isArray(value)) return `${name} ${value.slice(0, 6).join(', ')}${value.length > 6 ? ' …' : ''}`;
    const { from, to, zone } = value as { from: string; to: string; zone: string };
    return `${from} to ${to} ${zone}`;
  });
  return parts.length === 0 ? WORDS.all : parts.join(' · ');
}

/** The gateways of a route in words: `smsc-1 × 3, smsc-2, then twilio`. */
export function gatewaysText({ targets, fallbacks }: Pick<Route, 'targets' | 'fallbacks'>): string {
  const shared = targets
    .map(({ gateway, weight }) => (weight === 1 ? gateway : `${gateway} × ${weight}`))
    .join(', ');
  return fallbacks.length === 0 ? shared : `${shared}, then ${fallbacks.join(', ')}`;
}
