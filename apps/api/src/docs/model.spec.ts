import { expect, test } from '@jest/globals';
import { Type } from 'typebox';
import { ID, TIME, model, nullable, show } from './model.ts';

const SHOWN = model('Shown', 'An example.', {
  id: ID,
  endedAt: nullable(TIME),
  note: Type.Optional(Type.String()),
});

test('a view has the members of its model alone, and instants in ISO 8601', () => {
  const row = { endedAt: new Date('2026-11-20T09:00:00Z'), id: 'a', passwordHash: 'secret' };

  expect(JSON.stringify(show(SHOWN, row))).toBe('{"id":"a","endedAt":"2026-11-20T09:00:00.000Z"}');
  expect(show(SHOWN, { ...row, endedAt: null, note: 'x' })).toEqual({ id: 'a', endedAt: null, note: 'x' });
});
