import { expect, test } from '@jest/globals';
import { reasonText, shortReason } from './reasons.ts';

test('a delivery that was given up does not blame its configuration', () => {
  expect(reasonText('given_up')).toBe(
    'It was given up: ten tries in a row ended without a result, or its message was deleted.',
  );
});

test.each(['unrenderable', 'no_answer', 'webhook_deleted'])('%s is explained by a sentence', (reason) => {
  expect(reasonText(reason)).toMatch(/^[A-Z].+\.$/);
});

test.each(['breaker_open', 'connect_failed', 'redirect'])('%s fits in a cell of a list', (reason) => {
  expect(shortReason(reason)).toMatch(/^[A-Z].{1,21}$/);
});
