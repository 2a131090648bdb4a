import { expect, test } from '@jest/globals';
import { FairRest } from './fair-rest.ts';

test('work rests for twice the time that was charged while another account is active', () => {
  const t = setup();
  for (const account of ['large', 'small']) t.rest.note(account);
  t.rest.charge('large', 40);
  t.rest.charge('large', 10);

  expect(t.rest.restMs('large')).toBe(100);
  expect(t.rest.restMs('small')).toBe(0);

  t.clock.ms += 99;
  expect(t.rest.restMs('large')).toBe(1);
  t.clock.ms += 1;
  expect(t.rest.restMs('large')).toBe(0);
});

test('work of the only active account does not rest', () => {
  const t = setup();
  for (const account of ['large', 'large']) t.rest.note(account);
  t.rest.charge('large', 40);

  expect(t.rest.restMs('large')).toBe(0);
});

test('an account stops being active a second after its last work', () => {
  const t = setup();
  for (const account of ['small', 'large']) t.rest.note(account);
  t.clock.ms += 999;
  t.rest.charge('large', 500);
  expect(t.rest.restMs('large')).toBe(1_000);

  t.clock.ms += 1; // of the rest 999 ms would be left

  expect(t.rest.restMs('large')).toBe(0);
});

test('an account is active although others were after it', () => {
  const t = setup();
  for (const account of ['small', 'large', 'large', 'third', 'large']) t.rest.note(account);

  expect(t.rest.areOthersActive('large')).toBe(true);
});

test('the machine is shared while two accounts are active', () => {
  const t = setup();
  t.rest.note('large');
  expect(t.rest.isShared).toBe(false);
  t.rest.note('small');
  expect(t.rest.isShared).toBe(true);
  t.clock.ms += 1_000;
  t.rest.note('large');
  expect(t.rest.isShared).toBe(false);
});

test('no rest exceeds three seconds, however much was charged', () => {
  const t = setup();
  for (const account of ['large', 'small']) t.rest.note(account);
  for (let i = 0; i < 100; i += 1) t.rest.charge('large', 5_000);

  expect(t.rest.restMs('large')).toBe(3_000);
});

test('accounts that no longer rest are forgotten', () => {
  const t = setup();
  for (let i = 0; i < 100_000; i += 1) {
    t.rest.note(String(i));
    t.rest.charge(String(i), 1);
    t.clock.ms += 1;
  }

  expect(t.rest['until'].size).toBeLessThan(5_000);
});

function setup(): { rest: FairRest; clock: { ms: number } } {
  const clock = { ms: 1_000 };
  return { rest: new FairRest(() => clock.ms), clock };
}
