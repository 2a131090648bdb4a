import { expect, test } from '@jest/globals';
import type { Route } from '@signalbox/client';
import { hiddenRoutes } from './hidden-routes.ts';

const GATEWAYS = [
  { name: 'smsc', channel: 'sms' },
  { name: 'chat', channel: 'chatapp' },
] as const;

const route = (name: string, match: Route['match'] = {}, gateway = 'smsc', enabled = true): Route =>
  ({ id: `id of ${name}`, name, match, enabled, targets: [{ gateway, weight: 1, cost: null }] }) as Route;

const hiddenOf = (...routes: Route[]): [string, string][] => [...hiddenRoutes(routes, GATEWAYS)];

test('a route that takes every message hides those below it, and not those above', () => {
  const routes = [
    route('india', { countries: ['IN'] }),
    route('all'),
    route('germany', { countries: ['DE'] }),
  ];

  expect(hiddenOf(...routes)).toEqual([['id of germany', 'all']]);
});

test('a route hides none of the other channel', () => {
  expect(hiddenOf(route('all'), route('chats', { senders: ['15550100001'] }, 'chat'))).toEqual([]);
});

test('a disabled route hides none and is not hidden', () => {
  const germany = { countries: ['DE'] };

  expect(hiddenOf(route('all', {}, 'smsc', false), route('germany', germany))).toEqual([]);
  expect(hiddenOf(route('all'), route('germany', germany, 'smsc', false))).toEqual([]);
});

test('a route with empty lists takes every message', () => {
  expect(hiddenOf(route('all', { countries: [] }), route('germany', { countries: ['DE'] }))).toHaveLength(1);
});
