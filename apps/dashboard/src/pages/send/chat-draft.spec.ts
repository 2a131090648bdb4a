import { expect, test } from '@jest/globals';
import { EMPTY_CHAT, chatPreviewOf, chatRequestOf } from './chat-draft.ts';

test('reply buttons leave out the rows of a list that are beyond three', () => {
  const draft = { ...EMPTY_CHAT, body: 'When?', titles: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'] };
  const titles = (kind: 'button' | 'list') =>
    JSON.stringify(chatRequestOf({ ...draft, kind })).match(/Mon|Tue|Wed|Thu|Fri/g);

  expect(titles('button')).toEqual(['Mon', 'Tue', 'Wed']);
  expect(titles('list')).toEqual(['Mon', 'Tue', 'Wed', 'Thu', 'Fri']);
  expect(JSON.stringify(chatPreviewOf({ ...draft, kind: 'button' }))).not.toContain('Thu');
});
