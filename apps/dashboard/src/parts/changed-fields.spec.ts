import { expect, test } from '@jest/globals';
import { changedFields } from './changed-fields.ts';

interface Body {
  name: string;
  rate: number | null;
  tags: string[];
  enabled: boolean;
}

test('only fields with another value are sent, those that were removed as null', () => {
  const opened: Body = { name: 'a', rate: 5, tags: ['x'], enabled: true };

  expect(changedFields(opened, { ...opened, tags: ['x'] })).toEqual({});
  expect(changedFields<Body>(opened, { name: 'b', rate: null, tags: ['x', 'y'], enabled: true })).toEqual({
    name: 'b',
    rate: null,
    tags: ['x', 'y'],
  });
});

test('a field that the opened form did not have is sent', () => {
  expect(changedFields<{ name: string; text: string }>({ name: 'a' }, { name: 'a', text: 'b' })).toEqual({
    text: 'b',
  });
});
