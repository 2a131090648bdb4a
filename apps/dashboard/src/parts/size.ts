const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** A number of bytes in the largest unit below it, such as `4.2 kB`. */
export function sizeOf(bytes: number): string {
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${(bytes / 1_000 ** unit).toFixed(unit === 0 ? 0 : 1)} ${UNITS[unit]}`;
}
