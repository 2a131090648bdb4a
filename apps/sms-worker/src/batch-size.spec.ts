import { expect, test } from '@jest/globals';
import { BatchSize, MAX_BATCH_SIZE } from './batch-size.ts';

test('with a gateway that takes what it is given, batches grow to the most', () => {
  expect(after(20, () => 30).messages).toBe(MAX_BATCH_SIZE);
});

test('a gateway that is slow whatever the size is given large batches all the same', () => {
  expect(after(20, () => 800).isAtMost).toBe(true);
});

test.each([20, 100, 1_000])(
  'a gateway that takes %i messages a second gets no more at once than it takes in about a third of one',
  (rate) => {
    const size = after(200, (messages) => 20 + (messages * 1000) / rate);
    expect(size.messages / rate).toBeLessThanOrEqual(0.45);
    expect(size.messages).toBeGreaterThanOrEqual(Math.min(8, rate));
  },
);

test('a gateway that becomes slow gets small batches at once, and large ones again when it has recovered', () => {
  const size = after(20, () => 30);
  size.took(MAX_BATCH_SIZE, 40_000);
  expect(size.messages).toBeLessThan(50);
  for (let batch = 0; batch < 20; batch += 1) size.took(size.messages, 30);
  expect(size.isAtMost).toBe(true);
});

test('a gateway whose every call becomes slow is given large batches again', () => {
  const size = after(20, () => 30);
  for (let batch = 0; batch < 60; batch += 1) size.took(size.messages, 900);
  expect(size.isAtMost).toBe(true);
});

test('small batches tell nothing of what a large one would take', () => {
  const size = new BatchSize();
  for (let batch = 0; batch < 50; batch += 1) size.took(1, 5);
  expect(size.messages).toBeLessThan(50);
});

function after(batches: number, durationMs: (messages: number) => number): BatchSize {
  const size = new BatchSize();
  for (let batch = 0; batch < batches; batch += 1) size.took(size.messages, durationMs(size.messages));
  return size;
}
