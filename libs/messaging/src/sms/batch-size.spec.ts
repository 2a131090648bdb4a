import { expect, test } from '@jest/globals';
import { BatchSize, MAX_BATCH_SIZE } from './batch-size.ts';

test('batches grow to the maximum while the gateway is quick', () => {
  expect(after(20, () => 30).messages).toBe(MAX_BATCH_SIZE);
});

test('a gateway that is equally slow for any size gets large batches', () => {
  expect(after(20, () => 800).isAtMax).toBe(true);
});

test.each([20, 100, 1_000])(
  'a gateway of %i messages per second gets at most half a second of them in a batch',
  (rate) => {
    const size = after(200, (messages) => 20 + (messages * 1000) / rate);
    expect(size.messages / rate).toBeLessThanOrEqual(0.45);
    expect(size.messages).toBeGreaterThanOrEqual(Math.min(8, rate));
  },
);

test('batches shrink with the first slow one and grow again after recovery', () => {
  const size = after(20, () => 30);
  size.observe(MAX_BATCH_SIZE, 40_000);
  expect(size.messages).toBeLessThan(50);
  for (let batch = 0; batch < 20; batch += 1) size.observe(size.messages, 30);
  expect(size.isAtMax).toBe(true);
});

test('batches grow again when every call has become slower', () => {
  const size = after(20, () => 30);
  for (let batch = 0; batch < 60; batch += 1) size.observe(size.messages, 900);
  expect(size.isAtMax).toBe(true);
});

test('quick batches of one message do not grow the size far', () => {
  const size = new BatchSize();
  for (let batch = 0; batch < 50; batch += 1) size.observe(1, 5);
  expect(size.messages).toBeLessThan(50);
});

function after(batches: number, durationMs: (messages: number) => number): BatchSize {
  const size = new BatchSize();
  for (let batch = 0; batch < batches; batch += 1) size.observe(size.messages, durationMs(size.messages));
  return size;
}
