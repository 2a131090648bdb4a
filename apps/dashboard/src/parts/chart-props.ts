/** The numbers of one moment. */
export interface ChartRow {
  /** ISO 8601 instant. */
  at: string;
  /** By series. A missing value is 0. Null is a value that is not known: the line has a gap there. */
  values: Readonly<Record<string, number | null>>;
}

/** A line, area or bar of a chart. */
export interface Series {
  key: string;
  label: string;
  /** CSS colour. */
  color: string;
}

export interface ChartProps {
  /** Names the chart for screen readers. */
  label: string;
  rows: readonly ChartRow[];
  series: readonly Series[];
  kind?: 'area' | 'line' | 'bar';
  /** Stacks areas or bars. */
  stacked?: boolean;
  /** Zone of its times and days; that of the viewer by default. */
  zone?: string;
  /** Pixels, 220 by default. */
  height?: number;
}
