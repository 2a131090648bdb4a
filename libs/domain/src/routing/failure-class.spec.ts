import { expect, test } from '@jest/globals';
import { failureClassOf } from './failure-class.ts';

test.each([
  ['901', 'expired'],
  ['902', 'cancelled'],
  ['903', 'opted_out'],
  ['904', 'sender_gone'],
  ['011', 'no_route'],
  ['001', 'recipient'],
  ['004', 'gateway'],
  ['whatever a vendor says', 'gateway'],
])('the errCode %s is of the class %s', (errCode, expected) => {
  expect(failureClassOf(errCode)).toBe(expected);
});
