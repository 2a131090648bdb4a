import { expect, test } from '@jest/globals';
import { SegmentReferences } from './segment-references.ts';

test('the next 256 references of a recipient differ in their low 8 bits', () => {
  const references = new SegmentReferences();
  const low = Array.from({ length: 256 }, () => references.next('919800000001') & 0xff);

  expect(new Set(low).size).toBe(256);
});

test('other recipients do not use up the references of one', () => {
  const references = new SegmentReferences();
  const first = references.next('919800000001');
  for (let i = 0; i < 1_000; i += 1) references.next(`91990000${i}`);

  // a few of the thousand may share its counter
  expect((references.next('919800000001') - first) & 0xffff).toBeLessThan(10);
});
