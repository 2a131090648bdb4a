import { expect, test } from '@jest/globals';
import { jobView } from './queue.view.ts';

test('a job shows no whole number of a recipient, and at most 20 of its rows', () => {
  const job = {
    id: '1',
    rows: Array.from({ length: 30 }, (_, i) => `row ${i}`),
    attempts: 5,
    enqueuedAt: new Date(0),
    dueAt: null,
    startedAt: null,
    error: 'no route to 919800000100 (019e6f0b-2d31-7c0a-8f5e-501019003070), code 4711',
  };

  const view = jobView(job, 'failed', 'report', () => null);

  expect([view.rows.length, view.rowCount]).toEqual([20, 30]);
  expect(view.error).toBe('no route to ********0100 (019e6f0b-2d31-7c0a-8f5e-501019003070), code 4711');
});
