import { expect, test } from '@jest/globals';
import type { ChartRow } from './chart-props.ts';
import { MARGIN, layersOf, scaleOf } from './chart-scale.ts';

const SIZE = { width: 464, height: 132 };
const SERIES = [
  { key: 'a', label: 'A', color: 'red' },
  { key: 'b', label: 'B', color: 'blue' },
];
const ROWS: ChartRow[] = [
  { at: '2026-01-01T00:00:00Z', values: { a: 1, b: 2 } },
  { at: '2026-01-01T01:00:00Z', values: { b: 7 } },
];
const spansOf = (isStacked: boolean) => layersOf(ROWS, SERIES, isStacked).map(({ spans }) => spans);

test('stacked series stand on those before them, and others on the ground', () => {
  expect(spansOf(true)).toEqual([
    [
      [0, 1],
      [0, 0],
    ],
    [
      [1, 3],
      [0, 7],
    ],
  ]);
  expect(spansOf(false)).toEqual([
    [
      [0, 1],
      [0, 0],
    ],
    [
      [0, 2],
      [0, 7],
    ],
  ]);
});

test('the largest value is below a round number at the top, and zero is on the ground', () => {
  const scale = scaleOf(SIZE, ROWS.length, layersOf(ROWS, SERIES, false), false);

  expect(scale.values.map(([value]) => value)).toEqual([0, 2, 4, 6, 8]);
  expect([scale.y(8), scale.y(0)]).toEqual([MARGIN.top, SIZE.height - MARGIN.bottom]);
});

test.each([0, 1])('values up to %d have whole numbers as labels', (value) => {
  const rows = [{ at: ROWS[0]!.at, values: { a: value } }];
  const { values } = scaleOf(SIZE, 1, layersOf(rows, SERIES, false), false);
  expect(values.map(([, label]) => label)).toEqual(['0', '1']);
});

test.each([
  ['a line', false, [44, 444]],
  ['bars', true, [144, 344]],
])('the rows of %s share the width', (_, hasBands, places) => {
  const scale = scaleOf(SIZE, ROWS.length, layersOf(ROWS, SERIES, false), hasBands);
  expect([scale.x(0), scale.x(1)]).toEqual(places);
  expect([-5, 200, 300, 999].map((x) => scale.rowAt(x))).toEqual([0, 0, 1, 1]);
});

test('a value that is not known leaves a gap, and does not lift those above it', () => {
  const rows = [{ at: '2026-01-01T00:00:00Z', values: { a: null, b: 2 } }];
  expect(layersOf(rows, SERIES, true).map(({ spans }) => spans)).toEqual([[null], [[0, 2]]]);
});

test('the marks begin right of the longest label', () => {
  const layers = layersOf([{ at: ROWS[0]!.at, values: { a: 90_000 } }], SERIES, false);
  const leftIn = (language: string): number => {
    const format = new Intl.NumberFormat(language, { notation: 'compact' });
    return scaleOf(SIZE, 1, layers, false, format).left;
  };
  expect([leftIn('en'), leftIn('de')]).toEqual([44, 57]);
});
