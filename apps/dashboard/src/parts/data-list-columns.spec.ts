import { expect, test } from '@jest/globals';
import { type Column, filledLines, fitColumns, gridOf, rowPx } from './data-list-columns.ts';

type TestColumn = Column<unknown>;

const column = (id: string, width: string, rest: Partial<TestColumn> = {}): TestColumn => ({
  id,
  label: id,
  cell: () => id,
  width,
  ...rest,
});

const COLUMNS = [
  column('name', 'minmax(100px, 2fr)'),
  column('mail', 'minmax(150px, 1fr)', { optional: 'shown' }),
  column('state', '100px'),
  column('time', '100px'),
  column('act', '200px', { isAction: true }),
];

/** Names of columns, by line. */
function linesAt(widthPx: number, hasSelection = false): string[] {
  const { inLine, below } = fitColumns(COLUMNS, widthPx, hasSelection);
  return [inLine, ...below].map((line) => line.map(({ id }) => id).join(' '));
}

test('columns that fit are side by side', () => {
  expect(linesAt(738)).toEqual(['name mail state time act']);
});

test('an optional column moves below first, then the others from the right', () => {
  expect(linesAt(737)).toEqual(['name state time act', 'mail']);
  expect(linesAt(500)).toEqual(['name state act', 'mail time']);
});

test('buttons stay in line with the first column as long as they fit', () => {
  expect(linesAt(346)).toEqual(['name act', 'mail', 'state time']);
  expect(linesAt(345)).toEqual(['name state', 'mail', 'time', 'act']);
});

test('the box that chooses a row takes its place', () => {
  expect(linesAt(738, true)).toEqual(['name state time act', 'mail']);
});

test('the first column grows where the others would leave a gap', () => {
  const [, , state, time] = COLUMNS;
  const grid = (columns: TestColumn[]) => gridOf(fitColumns(columns, 500, false), false);
  expect(grid([state!, time!])).toBe('minmax(100px, 1fr) 100px');
  expect(grid([state!, COLUMNS[0]!])).toBe('100px minmax(100px, 2fr)');
});

test('a row is lower by each line that has no content', () => {
  const columns: Column<{ mail: string | null; state: string }>[] = [
    { id: 'name', label: 'name', cell: () => 'x', width: '200px' },
    { id: 'mail', label: 'mail', cell: ({ mail }) => mail, width: '200px' },
    { id: 'state', label: 'state', cell: ({ state }) => state, width: '200px' },
  ];
  const fit = fitColumns(columns, 300, false);
  const linesOf = (row: { mail: string | null; state: string }): string[] =>
    filledLines(fit, row).map((line) => line.map(({ id }) => id).join(' '));
  const full = { mail: 'a@b.example', state: 'up' };

  expect(linesOf(full)).toEqual(['mail', 'state']);
  expect(linesOf({ mail: null, state: 'up' })).toEqual(['state']);
  expect(linesOf({ mail: '', state: '–' })).toEqual([]);
  const heights = [undefined, full, { mail: null, state: 'up' }, { mail: null, state: '' }];
  expect(heights.map((row) => rowPx(fit, row))).toEqual([102, 102, 74, 42]);
});
