/** A time in seconds: `4.2 s`, `75 s`, `3 min`, `2 h`, or a dash when it is not known. */
export function duration(seconds: number | null): string {
  if (seconds === null) return '–';
  if (seconds < 10) return `${Math.max(0, seconds).toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}
