import { expect, test } from '@jest/globals';
import type { Lane } from '@signalbox/domain/lane';
import type { OutgoingSms } from '@signalbox/gateways/sms-gateway';
import { createLogger } from '@signalbox/runtime/logger';
import { ACCEPTED, FakeSmsGateway, UP_ELSEWHERE } from '../../test/open-sms.ts';
import { Admission } from './admission.ts';
import { Gateways } from './gateways.ts';
import { Router } from './router.ts';

test('messages in progress leave room for codes', async () => {
  const { admission } = setup();
  const admit = (lane: Lane) =>
    admission.admit('fake', { lane, rate: null }, messages(9_000)).admitted.length;

  expect([admit('PROMO'), admit('TRANS'), admit('OTP')]).toEqual([7_500, 7_500, 8_000]);
  await admission.during('fake', 7_500, async () => {
    expect([admit('PROMO'), admit('TRANS'), admit('OTP')]).toEqual([0, 0, 500]);
  });
});

test('promotions that use the rate of a gateway leave a part of it to codes', () => {
  const { admission } = setup();
  const admit = (lane: Lane) => admission.admit('fake', { lane, rate: 1_000 }, messages(600)).admitted.length;

  expect(admit('PROMO')).toBeLessThan(400);
  expect(admit('PROMO')).toBeLessThan(100);
  expect(admit('OTP')).toBeGreaterThan(150);
});

test('a message that is tried again borrows a token that rounds would take once it is whole', () => {
  const { admission } = setup();
  const alone = { lane: 'TRANS', rate: 1, isAlone: true } as const;
  const admit = (limits: object) =>
    admission.admit('fake', { ...alone, ...limits }, messages(3)).admitted.length;
  expect(admission.admit('fake', { ...alone, isReserved: true }, messages(1)).admitted).toHaveLength(1);

  expect(admit({ isAlone: false })).toBe(0);
  expect([admit({}), admit({})]).toEqual([1, 0]);
});

test('messages that are tried again leave the rate to a round that waits for it', () => {
  const { admission } = setup();
  const alone = { lane: 'TRANS', rate: 1_000, isAlone: true } as const;
  const admit = (limits: object = {}) =>
    admission.admit('fake', { ...alone, ...limits }, messages(1)).admitted.length;

  expect([admit(), admit()]).toEqual([1, 1]);
  admission.expectRound('TRANS', 60_000);
  expect([admit(), admit({ isReserved: true }), admit(), admit()]).toEqual([0, 1, 1, 0]);
});

test('codes that are tried again leave the rate only to rounds of codes', () => {
  const { admission } = setup();
  const admit = (lane: Lane) =>
    admission.admit('fake', { lane, rate: 1_000, isAlone: true }, messages(1)).admitted.length;

  expect([admit('OTP'), admit('TRANS')]).toEqual([1, 1]);
  admission.expectRound('PROMO', 60_000);
  expect([admit('OTP'), admit('TRANS')]).toEqual([1, 0]);
  admission.expectRound('OTP', 60_000);
  expect([admit('OTP'), admit('TRANS')]).toEqual([0, 0]);
});

test.each([
  ['of which none other has a bind gives this one all of the rate', 'connecting', 50],
  ['that are all up divides the rate equally', 'up', 12],
] as const)('a fleet of four workers %s', (_, status, admitted) => {
  const { admission, router } = setup();
  router.followOthers(['a', 'b', 'c'].map((workerId) => ({ ...UP_ELSEWHERE, workerId, status })));

  // a bucket holds the rate of half a second
  expect(admission.admit('fake', { lane: 'OTP', rate: 100 }, messages(60)).admitted).toHaveLength(admitted);
});

function setup() {
  const gateways = new Gateways<OutgoingSms>(
    new FakeSmsGateway(ACCEPTED),
    () => ({ problem: '' }),
    createLogger('test', 'silent'),
  );
  const router = new Router<OutgoingSms>(gateways);
  return { router, admission: new Admission(router, gateways) };
}

function messages(count: number) {
  return Array.from({ length: count }, (_, n) => ({
    message: { messageId: `m:${n}`, accountId: '', sender: 'A', recipient: String(n), attempt: 1 },
  }));
}
