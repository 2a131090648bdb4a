import { expect, test } from '@jest/globals';
import { draftOf, editOf } from './draft.ts';

const STORED = {
  name: 'login_code',
  category: 'AUTHENTICATION',
  language: 'en',
  chatAccountId: 100_001,
  components: [{ type: 'BODY', text: '{{1}} is your code.' }],
  allow_category_change: true,
  code_expiration_minutes: 5,
} as const;

test('an edit removes the options that its author removed', () => {
  const draft = { ...draftOf(STORED), allowCategoryChange: false, codeMinutes: null };

  expect(editOf('t1', draft)).toMatchObject({
    allow_category_change: false,
    code_expiration_minutes: null,
  });
});

test('an edit keeps the options that its author leaves', () => {
  expect(editOf('t1', draftOf(STORED))).toMatchObject({
    allow_category_change: true,
    code_expiration_minutes: 5,
  });
});
