import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { GatewayFitness } from './gateway-health.ts';
import { DEFAULT_ROUTE_POLICY, type Route, type RouteTarget } from './route.ts';
import { chooseRoute } from './route-choice.ts';
import { explainRoute } from './route-explain.ts';
import type { RoutedMessage } from './route-match.ts';

const AT = new Date('2026-05-01T12:00:00Z');

const message = (i: number): RoutedMessage => ({
  messageId: `m:${i}`,
  accountId: 'acme',
  sender: 'ACME',
  recipient: String(919_800_000_000 + i),
  type: 'TRANS',
});

function route(targets: (string | Partial<RouteTarget>)[], given: Partial<Route> = {}): Route {
  return {
    id: 'r1',
    priority: 1,
    match: {},
    targets: targets.map((target) => ({
      gateway: 'a',
      weight: 1,
      cost: null,
      ...(typeof target === 'string' ? { gateway: target } : target),
    })),
    fallbacks: [],
    policy: DEFAULT_ROUTE_POLICY,
    ...given,
  };
}

function gateways(given: Record<string, Partial<GatewayFitness>>): Map<string, GatewayFitness> {
  return new Map(
    Object.entries(given).map(([name, fitness]) => [
      name,
      { name, unfit: null, doubt: null, isOnTrial: false, acceptRate: 1, reportRate: 1, ...fitness },
    ]),
  );
}

const firstOf = (routes: Route[], known: Map<string, GatewayFitness>, i: number) =>
  chooseRoute(routes, message(i), known, AT).candidates[0];

test('targets share the recipients by weight, and a recipient keeps its gateway', () => {
  const routes = [route([{ gateway: 'a', weight: 3 }, 'b'])];
  const known = gateways({ a: {}, b: {} });
  const firsts = Array.from({ length: 10_000 }, (_, i) => firstOf(routes, known, i));

  expect(firsts.filter((name) => name === 'a').length / 10_000).toBeCloseTo(0.75, 1);
  expect(Array.from({ length: 10_000 }, (_, i) => firstOf(routes, known, i))).toEqual(firsts);
});

test('a target that goes moves only its own recipients', () => {
  const routes = [route(['a', 'b', 'c'])];
  for (let i = 0; i < 1_000; i += 1) {
    const before = firstOf(routes, gateways({ a: {}, b: {}, c: {} }), i);
    const after = firstOf(routes, gateways({ a: {}, b: {}, c: { unfit: 'is down' } }), i);
    expect(after).not.toBe('c');
    if (before !== 'c') expect(after).toBe(before);
  }
});

test('candidates are gateways of the taken route that take messages, each once', () => {
  const names = ['a', 'b', 'c', 'd'];
  const target = fc.record({
    gateway: fc.constantFrom(...names),
    weight: fc.nat(3),
    cost: fc.option(fc.nat(3)),
  });
  const fitness = fc.record({
    unfit: fc.option(fc.constant('is down')),
    isOnTrial: fc.boolean(),
    acceptRate: fc.double({ min: 0, max: 1, noNaN: true }),
    reportRate: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  const routed = fc.record({ targets: fc.array(target), fallbacks: fc.subarray(names) });
  fc.assert(
    fc.property(fc.array(routed), fc.tuple(fitness, fitness, fitness, fitness), fc.nat(), (list, fits, i) => {
      const routes = list.map((each, n) => route(each.targets, { id: `r${n}`, fallbacks: each.fallbacks }));
      const known = gateways(Object.fromEntries(names.map((name, n) => [name, fits[n]!])));
      const choice = chooseRoute(routes, message(i), known, AT);

      const allowed = choice.route
        ? new Set([...choice.route.targets.map(({ gateway }) => gateway), ...choice.route.fallbacks])
        : new Set(names);
      for (const name of choice.candidates) {
        expect(known.get(name)?.unfit).toBeNull();
        expect(allowed.has(name)).toBe(true);
      }
      expect(new Set(choice.candidates).size).toBe(choice.candidates.length);
      const some = routes.some((each) =>
        [...each.targets.map(({ gateway }) => gateway), ...each.fallbacks].some(
          (name) => known.get(name)?.unfit === null,
        ),
      );
      if (routes.length > 0) expect(choice.candidates.length > 0).toBe(some);
      expect(explainRoute(routes, message(i), known, AT).gateways).toEqual(choice.candidates);
    }),
  );
});

test('the cheapest healthy target gets every message, and an unset cost comes last', () => {
  const routes = [route([{ gateway: 'a', cost: 5 }, { gateway: 'b', cost: 2 }, 'c'])];

  expect(chooseRoute(routes, message(1), gateways({ a: {}, b: {}, c: {} }), AT).candidates).toEqual([
    'b',
    'a',
    'c',
  ]);
  expect(firstOf(routes, gateways({ a: {}, b: { acceptRate: 0.1 }, c: {} }), 1)).toBe('a');
});

test('the first matching route with a healthy gateway takes a message', () => {
  const routes = [
    route(['a'], { id: 'other', match: { types: ['OTP'] } }),
    route(['b'], { id: 'down' }),
    route(['c'], { id: 'sick' }),
    route(['d'], { id: 'well' }),
  ];
  const known = { a: {}, b: { unfit: 'is down.' }, c: { reportRate: 0.2 }, d: {} };

  expect(chooseRoute(routes, message(1), gateways(known), AT).route?.id).toBe('well');
  expect(chooseRoute(routes.slice(0, 3), message(1), gateways(known), AT)).toMatchObject({
    route: { id: 'sick' },
    candidates: ['c'],
  });
  expect(chooseRoute(routes.slice(0, 2), message(1), gateways(known), AT)).toMatchObject({
    route: { id: 'down' },
    candidates: [],
  });
  expect(chooseRoute(routes.slice(0, 1), message(1), gateways(known), AT)).toEqual({
    route: undefined,
    candidates: [],
    isProbe: false,
  });
  expect(explainRoute(routes, message(1), gateways(known), AT).routes.map((each) => each.passedOver)).toEqual(
    [
      'Its types do not match.',
      'None of its gateways takes messages now.',
      'None of its gateways is healthy.',
      null,
    ],
  );
});

test('a message without a route fails, and waits only for the hours of one', () => {
  const reasonFor = (match: Route['match']) =>
    explainRoute([route(['a'], { match })], message(1), gateways({ a: {} }), AT).reason;

  expect(reasonFor({ types: ['OTP'] })).toMatch(/fails with errCode 011/);
  expect(reasonFor({ hours: { from: '01:00', to: '02:00', zone: 'UTC' } })).toMatch(/waits for the hours/);
});

test('an unhealthy target gets one message of a hundred', () => {
  const routes = [route(['a', 'b'])];
  const known = gateways({ a: {}, b: { acceptRate: 0.3 } });
  const choices = Array.from({ length: 20_000 }, (_, i) => chooseRoute(routes, message(i), known, AT));
  const probes = choices.filter(({ isProbe }) => isProbe);

  expect(probes.length / 20_000).toBeCloseTo(0.01, 2);
  expect(new Set(probes.map(({ candidates }) => candidates[0]))).toEqual(new Set(['b']));
  expect(choices.filter(({ candidates }) => candidates[0] === 'b')).toHaveLength(probes.length);
});

test('a healthy fallback comes before an unhealthy target, which gets one message of a hundred', () => {
  const routes = [route(['a'], { fallbacks: ['b', 'c', 'd'] })];
  const b = { acceptRate: 0.1 };
  const d = { isOnTrial: true, doubt: 'is down: Silent.' };
  const known = gateways({ a: { acceptRate: 0.3 }, b, c: {}, d });
  const choices = Array.from({ length: 20_000 }, (_, i) => chooseRoute(routes, message(i), known, AT));
  const probes = choices.filter(({ isProbe }) => isProbe);

  expect(probes.length / 20_000).toBeCloseTo(0.01, 2);
  expect(new Set(probes.map(({ candidates }) => candidates.join('')))).toEqual(new Set(['acbd']));
  const others = choices.filter(({ isProbe }) => !isProbe);
  expect(new Set(others.map(({ candidates }) => candidates.join('')))).toEqual(new Set(['cabd']));
});

test('a fallback takes what no target can', () => {
  const routes = [route(['a'], { fallbacks: ['b'] })];

  expect(chooseRoute(routes, message(1), gateways({ a: {}, b: {} }), AT).candidates).toEqual(['a', 'b']);
  expect(firstOf(routes, gateways({ a: { unfit: 'is paused.' }, b: {} }), 1)).toBe('b');
});

test('a target that is tested comes first, also after its rates were bad', () => {
  const routes = [route(['a', 'b'], { fallbacks: ['c'] })];
  const known = gateways({ a: {}, b: { isOnTrial: true, doubt: 'is down: Silent.', acceptRate: 0 }, c: {} });

  expect(chooseRoute(routes, message(1), known, AT)).toMatchObject({
    candidates: ['b', 'a', 'c'],
    isProbe: true,
  });
  expect(explainRoute(routes, message(1), known, AT)).toMatchObject({
    reason: 'b takes one message, although it is down: Silent.',
    routes: [{ gateways: [{ problem: null }, { problem: 'b is down: Silent.' }, { problem: null }] }],
  });
});

test('a gateway that was never tried takes its share, and the explanation names the doubt', () => {
  const routes = [route(['a'], { fallbacks: ['b'] })];
  const known = gateways({ a: { doubt: 'is connecting: Nothing was sent yet.' }, b: {} });

  expect(explainRoute(routes, message(1), known, AT)).toMatchObject({
    gateways: ['a', 'b'],
    isProbe: false,
    reason: 'a takes it, although it is connecting: Nothing was sent yet.',
    routes: [{ gateways: [{ problem: 'a is connecting: Nothing was sent yet.' }, { problem: null }] }],
  });
});

test('without routes the first gateway by name serves', () => {
  expect(firstOf([], gateways({ b: {}, a: {} }), 1)).toBe('a');
  expect(chooseRoute([], message(1), gateways({ b: {}, a: { unfit: 'is down.' } }), AT).candidates).toEqual(
    [],
  );
});
