import { expect, test } from '@jest/globals';
import { NEW_ROUTE, ROUTE_RULES } from './route-values.ts';

test.each(['priority', 'failoverAfterMs'] as const)('an empty %s is refused, and 0 is not', (field) => {
  expect(ROUTE_RULES[field]('')).toBe('Enter a number.');
  expect(ROUTE_RULES[field](0)).toBeNull();
});

test('an empty weight is refused, and the weight of a new route is not', () => {
  expect(ROUTE_RULES.targets.weight('')).toBe('Enter a number.');
  expect(ROUTE_RULES.targets.weight(NEW_ROUTE.targets[0]!.weight)).toBeNull();
});
