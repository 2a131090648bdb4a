import { nice, ticks } from 'd3-array';
import type { ChartRow, Series } from './chart-props.ts';

/** The values of one series, each from the top of the layers below it. */
export interface Layer extends Series {
  spans: readonly (Span | null)[];
}

/** From the top of the layers below to that of the layer; null where its value is not known. */
export type Span = readonly [from: number, to: number];

/** Translates rows and values to pixels. */
export interface Scale {
  width: number;
  /** Pixels from the left to the marks, with the labels of the values between. */
  left: number;
  height: number;
  /** Values with a line and a label, and their labels. */
  values: readonly (readonly [value: number, label: string])[];
  /** Width of the share of one row. */
  band: number;
  /** Centre of a row. */
  x: (row: number) => number;
  y: (value: number) => number;
  /** The row nearest to a place. */
  rowAt: (x: number) => number;
}

/** Room around the marks for the labels, in pixels. */
export const MARGIN = { top: 8, right: 20, bottom: 24 };

/** Pixels between a label and the marks. */
export const LABEL_GAP = 8;

/** Pixels at the left of the marks at least; and of a character of a label, at most. */
const LEAST_LEFT = 44;
const CHARACTER = 7;

const VALUE_LINES = 4;

const NUMBER = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

/** Lays the series on each other, or each on the ground. */
export function layersOf(
  rows: readonly ChartRow[],
  series: readonly Series[],
  isStacked: boolean,
): readonly Layer[] {
  const tops = rows.map(() => 0);
  return series.map((each) => {
    const spans = rows.map(({ values }, row): Span | null => {
      const value = values[each.key];
      if (value === null) return null;
      const from = isStacked ? tops[row]! : 0;
      return [from, (tops[row] = from + (value ?? 0))];
    });
    return { ...each, spans };
  });
}

/**
 * @param hasBands rows have a share of the width each, for bars; otherwise the first and the last touch its ends
 * @param format of the labels of values; `10K` in English is `10.000` in German
 */
export function scaleOf(
  { width, height }: Pick<Scale, 'width' | 'height'>,
  rows: number,
  layers: readonly Layer[],
  hasBands: boolean,
  format = NUMBER,
): Scale {
  const ground = height - MARGIN.bottom;
  const most = Math.max(1, ...layers.flatMap(({ spans }) => spans.map((span) => span?.[1] ?? 0)));
  const [, top] = nice(0, most, VALUE_LINES);
  const values = ticks(0, top, Math.min(VALUE_LINES, top)).map(
    (value) => [value, format.format(value)] as const,
  );
  const longest = Math.max(...values.map(([, label]) => label.length));
  const left = Math.max(LEAST_LEFT, LABEL_GAP + CHARACTER * longest);
  const inner = Math.max(0, width - left - MARGIN.right);
  const band = inner / Math.max(1, hasBands ? rows : rows - 1);
  const first = left + (hasBands ? band / 2 : 0);
  return {
    width,
    left,
    height,
    band,
    values,
    x: (row) => first + row * band,
    y: (value) => ground - (value / top) * (ground - MARGIN.top),
    rowAt: (x) => Math.min(rows - 1, Math.max(0, Math.round((x - first) / band))),
  };
}
