import { expect, test } from '@jest/globals';
import { sql } from './sql.ts';

test('the shared indentation of a statement is removed', () => {
  expect(sql`
    SELECT id
      FROM account
     WHERE id = ${'$1'}`).toBe('SELECT id\n  FROM account\n WHERE id = $1');
});

test('a fragment of several lines is indented like its place', () => {
  const nested = 'SELECT 1\n  FROM one';

  expect(sql`
    SELECT (
      ${nested}
    )`).toBe('SELECT (\n  SELECT 1\n    FROM one\n)');
});
