import { expect, test } from '@jest/globals';
import { unknownParameters } from './unknown-parameters.ts';

const KNOWN = ['from', 'to', 'limit'];

test.each([
  ['form', 'is unknown; did you mean from?'],
  ['LIMITS', 'is unknown; did you mean limit?'],
  ['tо', 'is unknown; did you mean to?'], // a Cyrillic letter
  ['step', 'is unknown; the operation knows from, to, limit'],
  ['campaignName', 'is unknown; the operation knows from, to, limit'],
])('the refusal of the parameter %s names what may be meant', (name, message) => {
  expect(unknownParameters([name], KNOWN).details).toEqual([
    { field: name, rule: 'unknown_parameter', message },
  ]);
});
