import { expect, test } from '@jest/globals';
import { AccountThrottle } from './account-throttle.ts';

test('work is delayed by twice the time that was charged while another account is active', () => {
  const t = setup();
  for (const account of ['large', 'small']) t.throttle.noteActivity(account);
  t.throttle.charge('large', 40);
  t.throttle.charge('large', 10);

  expect(t.throttle.delayMs('large')).toBe(100);
  expect(t.throttle.delayMs('small')).toBe(0);

  t.clock.ms += 99;
  expect(t.throttle.delayMs('large')).toBe(1);
  t.clock.ms += 1;
  expect(t.throttle.delayMs('large')).toBe(0);
});

test('work of the only active account is not delayed', () => {
  const t = setup();
  for (const account of ['large', 'large']) t.throttle.noteActivity(account);
  t.throttle.charge('large', 40);

  expect(t.throttle.delayMs('large')).toBe(0);
});

test('an account stops being active a second after its last work', () => {
  const t = setup();
  for (const account of ['small', 'large']) t.throttle.noteActivity(account);
  t.clock.ms += 999;
  t.throttle.charge('large', 500);
  expect(t.throttle.delayMs('large')).toBe(1_000);

  t.clock.ms += 1; // the delay would last for another 999 ms

  expect(t.throttle.delayMs('large')).toBe(0);
});

test('an account is active although others were after it', () => {
  const t = setup();
  for (const account of ['small', 'large', 'large', 'third', 'large']) t.throttle.noteActivity(account);

  expect(t.throttle.areOthersActive('large')).toBe(true);
});

test('the process is shared while two accounts are active', () => {
  const t = setup();
  t.throttle.noteActivity('large');
  expect(t.throttle.isShared).toBe(false);
  t.throttle.noteActivity('small');
  expect(t.throttle.isShared).toBe(true);
  t.clock.ms += 1_000;
  t.throttle.noteActivity('large');
  expect(t.throttle.isShared).toBe(false);
});

test('no delay exceeds three seconds, however much was charged', () => {
  const t = setup();
  for (const account of ['large', 'small']) t.throttle.noteActivity(account);
  for (let i = 0; i < 100; i += 1) t.throttle.charge('large', 5_000);

  expect(t.throttle.delayMs('large')).toBe(3_000);
});

test('accounts without a delay are forgotten', () => {
  const t = setup();
  for (let i = 0; i < 100_000; i += 1) {
    t.throttle.noteActivity(String(i));
    t.throttle.charge(String(i), 1);
    t.clock.ms += 1;
  }

  expect(t.throttle['until'].size).toBeLessThan(5_000);
});

function setup(): { throttle: AccountThrottle; clock: { ms: number } } {
  const clock = { ms: 1_000 };
  return { throttle: new AccountThrottle(() => clock.ms), clock };
}
