const COUNT = new Intl.NumberFormat();

/** `12345` → `12,345`. */
export function count(value: number): string {
  return COUNT.format(value);
}

/** `3.4 s`, `2 min 5 s`, or a dash. */
export function duration(seconds: number | null): string {
  if (seconds === null) return '–';
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  return `${minutes} min ${Math.round(seconds % 60)} s`;
}
