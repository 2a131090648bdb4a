import type { SmsLane } from '@signalbox/domain/lane';
import { expect, test } from '@jest/globals';
import { accept } from '@signalbox/test/rows';
import { ACCEPTED, FakeSmsGateway, openSms, routeTo } from '../../test/open-sms.ts';

/** Two gateways; `send` submits a batch of ten, and `counts` says how many each has got. */
async function setup() {
  const second = new FakeSmsGateway(ACCEPTED, 'second');
  const t = await openSms(ACCEPTED, second);
  const recipients = Array.from({ length: 10 }, (_, i) => String(919_800_000_000 + i));
  const send = async (lane: SmsLane = 'TRANS', to = recipients) =>
    t.dispatch(lane, [(await accept(t.db, { lane, recipients: to })).id]);
  return { ...t, send, counts: () => [t.gateway.submitted.length, second.submitted.length] };
}

test('a gateway that was down gets one message as a test, and its fallback the others', async () => {
  await using t = await setup();
  t.router.followRoutes([routeTo(['fake'], { fallbacks: ['second'] })]);
  t.gateway.status = 'down';
  await t.send();
  expect(t.counts()).toEqual([0, 10]);

  t.gateway.detail = { takes: 'one' };
  await t.send();
  expect(t.counts()).toEqual([1, 19]);
});

test('the only gateway of a route gets one message as a test, and the others wait', async () => {
  await using t = await setup();
  t.router.followRoutes([routeTo(['fake'])]);
  t.gateway.status = 'down';
  t.gateway.detail = { takes: 'one' };

  await t.send();
  expect(t.counts()).toEqual([1, 0]);
  expect((await t.statuses()).toSorted()).toEqual([...Array(9).fill('PENDING'), 'SENT']);
});

test('a code goes by another gateway than the one that is tested', async () => {
  await using t = await setup();
  t.router.followRoutes([routeTo(['fake'], { fallbacks: ['second'] })]);
  t.gateway.status = 'down';
  t.gateway.detail = { takes: 'one' };

  await t.send('OTP');
  expect(t.counts()).toEqual([0, 10]);
});

test('a code leaves the test of the only gateway to a message of another lane', async () => {
  await using t = await setup();
  t.router.followRoutes([routeTo(['fake'])]);
  t.gateway.status = 'down';
  t.gateway.detail = { takes: 'one' };

  await t.send('OTP', ['919800000200']);
  expect(t.counts()).toEqual([0, 0]);
  await t.send('TRANS', ['919800000201']);
  expect(t.gateway.submitted.map(({ recipient }) => recipient)).toEqual(['919800000201']);
  expect((await t.statuses()).toSorted()).toEqual(['PENDING', 'SENT']);
});

test('a gateway that was never tried gets all of its messages', async () => {
  await using t = await setup();
  t.router.followRoutes([routeTo(['fake'], { fallbacks: ['second'] })]);
  t.gateway.status = 'connecting';
  t.gateway.detail = { takes: 'any' };

  await t.send();
  expect(t.counts()).toEqual([10, 0]);
});

test('the reason of a choice names its route', async () => {
  await using t = await setup();
  t.router.followRoutes([routeTo(['fake'], { name: 'india' })]);

  await t.send();
  expect(await t.db.query(`SELECT DISTINCT reason FROM routing_event`)).toEqual([
    { reason: 'Route india chose it.' },
  ]);
});
