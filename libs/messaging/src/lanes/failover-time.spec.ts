import { expect, test } from '@jest/globals';
import { DEFAULT_ROUTE_POLICY } from '@signalbox/domain/routing/route';
import { accept } from '@signalbox/test/rows';
import { ACCEPTED, type Answer, FakeSmsGateway, openSms, routeTo } from '../../test/open-sms.ts';

const THROTTLED: Answer = { result: 'throttled', scope: 'gateway', retryAfterMs: 1_800_000 };

test('a throttled message is tried again when its route allows the next gateway', async () => {
  const second = new FakeSmsGateway(ACCEPTED, 'second');
  await using t = await openSms(THROTTLED, second);
  const policy = { ...DEFAULT_ROUTE_POLICY, failoverAfterMs: 5_000 };
  t.router.followRoutes([routeTo(['fake'], { fallbacks: ['second'], policy })]);
  const held = [await accept(t.db), await accept(t.db)];

  for (const { id } of held) await t.dispatch('TRANS', [id]);
  expect(t.jobs.map(({ delayMs }) => delayMs)).toEqual([5_000, 5_000]);
  await t.db.query(`UPDATE message SET throttled_at = now() - interval '6 s', claimed_until = now()`);
  for (const { id } of held) await t.retry('TRANS', [id]);

  expect([t.gateway.submitted.length, second.submitted.length]).toEqual([1, 2]);
});

test('a throttled message waits as long as its gateway asks where its route has no other', async () => {
  await using t = await openSms(THROTTLED, new FakeSmsGateway(ACCEPTED, 'second'));
  t.router.followRoutes([routeTo(['fake'])]);

  await t.dispatch('TRANS', [(await accept(t.db)).id]);

  expect(t.jobs.map(({ delayMs }) => delayMs)).toEqual([1_800_000]);
});
