import { expect, test } from '@jest/globals';
import type { GatewayFitness } from '@signalbox/domain/routing/gateway-health';
import { Trials } from './trials.ts';

const gateway = (isOnTrial: boolean): GatewayFitness => ({
  name: 'first',
  unfit: null,
  doubt: null,
  isOnTrial,
  acceptRate: 1,
  reportRate: 1,
});

test('a code may test a gateway that has waited for its test for five seconds', () => {
  let now = 0;
  const trials = new Trials(() => now);
  const takesCode = (): boolean =>
    trials.withoutRecentTrials(new Map([['first', gateway(true)]])).get('first')!.unfit === null;
  trials.follow([gateway(true)]);
  now = 4_999;
  trials.follow([gateway(true)]);
  expect(takesCode()).toBe(false);
  now = 5_000;
  expect(takesCode()).toBe(true);

  trials.follow([gateway(false)]);
  trials.follow([gateway(true)]);
  expect(takesCode()).toBe(false);
});
