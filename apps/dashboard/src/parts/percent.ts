const PERCENT = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });

/** Renders a ratio of 0 to 1: `99.2%`, or a dash when it is not known. */
export function percent(ratio: number | null | undefined): string {
  return ratio === null || ratio === undefined || Number.isNaN(ratio) ? '–' : PERCENT.format(ratio);
}

/** Renders the share of a part, or a dash without a whole. */
export function share(part: number, whole: number): string {
  return percent(part / whole);
}
