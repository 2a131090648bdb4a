import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { timeOf } from '../id-time.ts';
import { inboundId } from './inbound-id.ts';

test('each message of a callback has a distinct id with the time of the callback', () => {
  const callbackId = randomUUIDv7();
  const ids = Array.from({ length: 5_000 }, (_, index) => inboundId(callbackId, index));
  expect(ids[0]).toBe(callbackId);
  expect(new Set(ids).size).toBe(5_000);
  expect(new Set(ids.map((id) => timeOf(id).getTime()))).toEqual(new Set([timeOf(callbackId).getTime()]));
  expect(
    ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)),
  ).toBe(true);
});
