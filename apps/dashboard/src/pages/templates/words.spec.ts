import { expect, test } from '@jest/globals';
import { WORDS } from './words.ts';

test.each(['registered', 'category_changed', 'quality_changed', 'flagged'])(
  'the event %s of a provider has a sentence',
  (event) => {
    expect(WORDS.events[event]).toMatch(/^[A-Z][a-z ]+$/);
  },
);
