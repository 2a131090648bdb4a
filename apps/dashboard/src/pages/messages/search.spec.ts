import { expect, test } from '@jest/globals';
import { findTarget } from './find-target.ts';
import { countFilters, queryOf, readSearch } from './search.ts';

const ID = '019e6f0c-5a53-7d0c-8a4e-6f1f0a6d2b11';

test('an address yields its filters, and nothing else', () => {
  const search = readSearch({
    recipient: 919800000100,
    status: 'Failed,Nonsense,Pending',
    channel: 'fax',
    errCode: '  ',
    gateway: 'smsc ',
    last: 'ever',
    from: '2026-11-22',
    to: 'tomorrow',
    colour: 'red',
  });

  expect(search).toEqual({
    recipient: '919800000100',
    status: 'Pending,Failed',
    gateway: 'smsc',
    from: '2026-11-22T00:00:00.000Z',
  });
  expect(countFilters(search)).toBe(4);
});

test('the last hours take the place of a time, and reach back from now', () => {
  const search = readSearch({ last: '24h', from: '2026-11-22', status: 'Failed' });

  expect(search).toEqual({ last: '24h', status: 'Failed' });
  expect(queryOf(search, Date.parse('2026-11-22T10:00:00Z'))).toEqual({
    status: ['Failed'],
    from: '2026-11-21T10:00:00.000Z',
  });
});

test.each([
  [`${ID}:12`, { messageId: `${ID}:12` }],
  [ID.toUpperCase(), { submissionId: ID }],
  [' 919800000100 ', { recipient: '919800000100' }],
  ['+91 98000-00100', { recipient: '919800000100' }],
  ['US.abc123', { recipient: 'US.abc123' }],
  ['hello', undefined],
  ['', undefined],
])('%s is found as %j', (typed, target) => {
  expect(findTarget(typed)).toEqual(target);
});
