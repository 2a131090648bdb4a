/** A time in seconds: `4.2 s`, `75 s`, `3 min`, `2 h`, or a dash when it is not known. */
export function duration(seconds: number | null): string {
  if (seconds === null) return '–';
  if (seconds < 10) return `${Math.max(0, seconds).toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}

/** The times in which half and 95% arrived, in one line: `4.2 s / 3 min`. */
export function durations({
  p50Seconds,
  p95Seconds,
}: Record<'p50Seconds' | 'p95Seconds', number | null>): string {
  return `${duration(p50Seconds)} / ${duration(p95Seconds)}`.replaceAll(' ', '\u00a0');
}
