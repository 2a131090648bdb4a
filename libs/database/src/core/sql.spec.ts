import { expect, test } from '@jest/globals';
import { dedent, sql } from './sql.ts';

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

test('a statement that begins on its first line keeps the steps of the others', () => {
  expect(dedent('SELECT id\n       FROM account\n      WHERE true')).toBe(
    'SELECT id\n FROM account\nWHERE true',
  );
});
