import { expect, test } from '@jest/globals';
import { type CheckedRoute, type Routing, checkRoute, undecidedChannel } from './routing-rules.ts';

const GATEWAYS: Routing['gateways'] = [
  { name: 'smsc-1', channel: 'sms', enabled: true },
  { name: 'smsc-2', channel: 'sms', enabled: true },
  { name: 'meta', channel: 'chatapp', enabled: true },
];

function route(given: Partial<CheckedRoute> = {}): CheckedRoute {
  return {
    id: 'a',
    name: 'default',
    priority: 100,
    enabled: true,
    match: {},
    targets: [{ gateway: 'smsc-1', weight: 1, cost: null }],
    fallbacks: ['smsc-2'],
    ...given,
  };
}
const target = (gateway: string, weight = 1) => ({ gateway, weight, cost: null });
const check = (given: Partial<CheckedRoute>, routes: CheckedRoute[] = []): string[] =>
  checkRoute(route(given), { gateways: GATEWAYS, routes }).map(({ field, rule }) => `${field} ${rule}`);

test.each<[string, Partial<CheckedRoute>, string[]]>([
  ['with a fallback', {}, []],
  ['without a gateway', { targets: [], fallbacks: [] }, ['targets too_few_items']],
  ['with fallbacks only', { targets: [] }, ['targets too_few_items']],
  ['to a gateway that does not exist', { targets: [target('gone')] }, ['targets[0].gateway unknown_gateway']],
  ['that falls back to itself', { fallbacks: ['smsc-1'] }, ['fallbacks[0] duplicate_item']],
  ['that falls back in a circle', { fallbacks: ['smsc-2', 'smsc-2'] }, ['fallbacks[1] duplicate_item']],
  ['to gateways of two channels', { fallbacks: ['meta'] }, ['targets not_allowed_value']],
  [
    'in an unknown zone',
    { match: { hours: { from: '21:00', to: '08:00', zone: 'Mars/Base' } } },
    ['match.hours.zone invalid_format'],
  ],
  [
    'that is in force at no time',
    { match: { hours: { from: '08:00', to: '08:00', zone: 'Asia/Kolkata' } } },
    ['match.hours out_of_range'],
  ],
  ['whose targets all weigh nothing', { targets: [target('smsc-1', 0)] }, ['targets out_of_range']],
])('a route %s is checked', (_, given, broken) => {
  expect(check(given)).toEqual(broken);
});

test('a channel has one default route', () => {
  const other = route({ id: 'b', name: 'other' });
  expect(check({}, [other])).toEqual(['match second_default']);
  expect(check({}, [{ ...other, enabled: false }])).toEqual([]);
  expect(check({ enabled: false }, [other])).toEqual([]);
  expect(check({ match: { types: ['OTP'] } }, [other])).toEqual([]);
  expect(check({ match: { types: [] } }, [other])).toEqual(['match second_default']);
  expect(check({}, [{ ...other, targets: [target('meta')], fallbacks: [] }])).toEqual([]);
  expect(check({ id: 'b' }, [other])).toEqual([]);
});

test('several enabled gateways of a channel need a route in force', () => {
  const decided = (routes: CheckedRoute[], gateways = GATEWAYS) => undecidedChannel({ gateways, routes });
  expect(decided([])).toMatch(/channel sms has several gateways \(smsc-1, smsc-2\)/);
  expect(decided([route({ enabled: false })])).toMatch(/channel sms/);
  expect(decided([route({ targets: [target('meta')], fallbacks: [] })])).toMatch(/channel sms/);
  expect(decided([route()])).toBeUndefined();
  expect(
    decided(
      [],
      GATEWAYS.map((each) => ({ ...each, enabled: each.name !== 'smsc-2' })),
    ),
  ).toBeUndefined();
});
