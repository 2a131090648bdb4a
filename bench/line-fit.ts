/** Memory at a time. */
export interface Point {
  minutes: number;
  mb: number;
}

/** Returns the slope of the straight line that fits best, in megabytes a minute. */
export function slope(points: readonly Point[]): number {
  const mean = (values: number[]): number =>
    values.reduce((total, value) => total + value, 0) / values.length;
  const minutes = mean(points.map((point) => point.minutes));
  const mb = mean(points.map((point) => point.mb));
  const along = points.reduce((total, point) => total + (point.minutes - minutes) * (point.mb - mb), 0);
  return along / points.reduce((total, point) => total + (point.minutes - minutes) ** 2, 0);
}
