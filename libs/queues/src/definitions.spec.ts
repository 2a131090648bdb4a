import { expect, test } from '@jest/globals';
import * as definitions from './definitions.ts';

test('every declared queue is among those of the installation, each with its own name', () => {
  const declared = Object.values(definitions)
    .filter((value) => typeof value === 'object' && !Array.isArray(value))
    .flatMap((value) => ('maxWeight' in value ? [value] : Object.values(value)));

  expect(new Set(definitions.ALL_QUEUES)).toEqual(new Set(declared));
  expect(new Set(definitions.ALL_QUEUES.map(({ name }) => name)).size).toBe(definitions.ALL_QUEUES.length);
});
