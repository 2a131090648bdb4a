import { expect, test } from '@jest/globals';
import { SMS_LANES } from '@signalbox/domain/lane';
import { SimulatorGateway } from '@signalbox/gateways/simulator/simulator.gateway';
import { Fleet } from '@signalbox/runtime/fleet';
import { createLogger } from '@signalbox/runtime/logger';
import { newGateway } from '@signalbox/test/rows';
import { UP_ELSEWHERE } from '../../test/open-sms.ts';
import { Gateways } from '../gateways/gateways.ts';
import { Admission } from '../gateways/admission.ts';
import { GatewaysRate } from '../gateways/gateways-rate.ts';
import { Router } from '../gateways/router.ts';
import { MAX_BATCH_SIZE } from './batch-size.ts';
import { Pace } from './pace.ts';

test('the pace of a gateway with a rate is never free', async () => {
  expect((await setup({ gatewayRate: 100 })).pace.isFree).toBe(false);
  const free = (await setup()).pace;
  for (let batch = 0; batch < 20; batch += 1) free.learn({ ...TOOK, submitted: free.batch.messages });
  expect(free.isFree).toBe(true);
  expect(free.reserve('PROMO')).toBe(MAX_BATCH_SIZE);
});

test('the shares of all workers add up to the rate of the gateway', async () => {
  const workers = await Promise.all([0, 1, 2].map(() => setup({ gatewayRate: 60, members: 3 })));
  const taken = workers.map(({ pace }) => grow(pace).reserve('OTP'));
  expect(taken).toEqual([10, 10, 10]); // half a second of 20 each
});

test.each([
  ['the only one with a bind has all of the rate', 'connecting', 50],
  ['one of four with a bind has a quarter of the rate', 'up', 12],
] as const)('a worker that is %s', async (_, status, reserved) => {
  const { pace, gateways, router } = await setup({ members: 4 });
  gateways.follow([newGateway('fake', { ratePerSecond: 100 })]);
  router.followOthers(['a', 'b', 'c'].map((workerId) => ({ ...UP_ELSEWHERE, workerId, status })));

  expect(grow(pace).reserve('OTP')).toBe(reserved); // half a second
});

test('promotions leave some of the rate to the lanes before them', async () => {
  const { pace } = await setup({ gatewayRate: 100 });
  grow(pace);

  const [promo, trans, otp] = SMS_LANES.toReversed().map((lane) => pace.reserve(lane)) as [
    number,
    number,
    number,
  ];

  expect(promo).toBeLessThanOrEqual(31);
  expect(trans).toBeGreaterThan(5);
  expect(otp).toBeGreaterThan(5);
  expect(promo + trans + otp).toBeLessThanOrEqual(50);
});

test('a reservation that was not used is refunded', async () => {
  const { pace } = await setup({ gatewayRate: 100 });
  grow(pace);
  const reserved = pace.reserve('OTP');
  expect(pace.reserve('OTP')).toBe(0);

  pace.chargeRound('OTP', reserved, new Map([['a', 10]]));

  expect(pace.reserve('OTP')).toBeGreaterThanOrEqual(reserved - 10);
});

test('codes wait for a second at most, however many retries were taken', async () => {
  const { pace } = await setup({ gatewayRate: 20 });

  pace.charge({ taken: 0 });
  expect(pace.waitMs('OTP')).toBe(0);
  for (let i = 0; i < 100; i += 1) pace.charge({ taken: 20 });

  expect(pace.waitMs('OTP')).toBeGreaterThan(0);
  expect(pace.waitMs('OTP')).toBeLessThan(1_000);
});

test('an account has an allowance while it has a limit', async () => {
  const { pace } = await setup();
  pace.limitAccounts(new Map([['a', 10]]));
  expect(pace.allowances('TRANS')).toEqual(new Map([['a', 5]]));
  pace.chargeRound('TRANS', 0, new Map([['a', 5]]));
  expect(pace.allowances('TRANS')).toEqual(new Map([['a', 0]]));

  pace.limitAccounts(new Map());
  expect(pace.allowances('TRANS')).toEqual(new Map());
});

test('codes are exempt from the rate of their account, and cost nothing of it', async () => {
  const { pace } = await setup();
  pace.limitAccounts(new Map(Object.entries({ limited: 10, paused: 0 })));
  pace.chargeRound('OTP', 0, new Map([['limited', 5]]));

  expect(pace.allowances('OTP')).toEqual(new Map([['paused', 0]]));
  expect(pace.allowances('PROMO')).toEqual(new Map(Object.entries({ limited: 5, paused: 0 })));
});

test('a slow gateway next to another leaves batches as large as they are', async () => {
  const { pace, gateways } = await setup();
  gateways.follow([newGateway('fast'), newGateway('slow')]);
  grow(pace);

  for (let batch = 0; batch < 10; batch += 1) pace.learn({ ...TOOK, gatewayMs: batch % 2 === 0 ? 5 : 400 });

  expect(pace.batch.messages).toBe(MAX_BATCH_SIZE);
});

test('a paused account has no allowance, and lanes are served in rounds meanwhile', async () => {
  const pace = grow((await setup()).pace);
  expect(pace.isFree).toBe(true);

  pace.limitAccounts(new Map([['a', 0]]));

  expect(pace.allowances('TRANS')).toEqual(new Map([['a', 0]]));
  expect([pace.isFree, pace.isSpent]).toEqual([false, false]);
});

test('a gateway that throttles most of a batch gets a pause', async () => {
  const { pace } = await setup();
  pace.learn({ ...TOOK, submitted: 4, pauseMs: 0 });
  expect(pace.waitMs('OTP')).toBe(0);

  pace.learn({ ...TOOK, submitted: 4, pauseMs: 60_000 });

  expect(pace.waitMs('OTP')).toBeGreaterThan(4_000);
  expect(pace.reserve('OTP')).toBe(0);
});

const TOOK = { submitted: 1, pauseMs: 0, gatewayMs: 1 };

/** Grows the batch size to its maximum. */
function grow(pace: Pace): Pace {
  for (let batch = 0; batch < 20; batch += 1) pace.learn({ ...TOOK, submitted: pace.batch.messages });
  return pace;
}

async function setup({
  gatewayRate = null,
  members = 1,
}: {
  gatewayRate?: number | null;
  members?: number;
} = {}) {
  const fleet = new Fleet({
    beat: async (id) => [id, ...Array.from({ length: members - 1 }, (_, i) => `other ${i}`)],
    leave: async () => undefined,
  });
  await fleet.beat();
  const gateway = new SimulatorGateway({ delayMs: 0, ratePerSecond: gatewayRate });
  const gateways = new Gateways(gateway, () => ({ gateway }), createLogger('test', 'silent'));
  const router = new Router(gateways);
  const rate = new GatewaysRate(fleet, gateways, router, new Admission(router, gateways));
  return { pace: new Pace(fleet, gateways, rate), gateways, router };
}
