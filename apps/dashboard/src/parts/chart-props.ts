/** The numbers of one moment. */
export interface ChartRow {
  /** ISO 8601 instant. */
  at: string;
  values: Readonly<Record<string, number>>;
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
  /** Pixels, 220 by default. */
  height?: number;
}
