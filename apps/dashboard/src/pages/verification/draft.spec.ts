import { expect, test } from '@jest/globals';
import { NEW_DRAFT, NUMBERS, hasNumbers, requestOf } from './draft.ts';

test.each(NUMBERS.map(([name]) => name))('a configuration whose %s is empty is not sent', (name) => {
  expect(hasNumbers({ ...NEW_DRAFT, [name]: '' })).toBe(false);
  expect(hasNumbers({ ...NEW_DRAFT, [name]: 0 })).toBe(true);
});

test('the time until the second channel is needed where there is one', () => {
  expect(hasNumbers({ ...NEW_DRAFT, afterSeconds: '' })).toBe(true);
  expect(hasNumbers({ ...NEW_DRAFT, afterSeconds: '', flow: 'chatapp,sms' })).toBe(false);
});

test('a request has its numbers as they were typed', () => {
  const request = requestOf({ ...NEW_DRAFT, codeLength: 8, afterSeconds: 20, flow: 'chatapp,sms' });

  expect(request).toMatchObject({ codeLength: 8, ttlSeconds: 300 });
  expect(request.flow?.map(({ afterSeconds }) => afterSeconds)).toEqual([0, 20]);
});
