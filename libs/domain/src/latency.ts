/**
 * Upper bounds of the classes of a delivery time, in seconds, ascending. Class 0 ends before the first; the last class
 * has no bound. A change needs new statistics: stored ones name a class by its position.
 */
export const LATENCY_BOUNDS_SECONDS = [
  0.25, 0.5, 1, 1.5, 2, 3, 4, 5, 7, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600, 1_200, 1_800, 3_600,
  7_200, 14_400, 28_800, 86_400, 172_800,
] as const;

/**
 * Estimates the time within which a share of deliveries arrived, in seconds. It interpolates within the class; a time
 * in the last class is its lower bound.
 *
 * @param counts deliveries by class
 * @param share from 0 to 1
 * @returns null when there are no deliveries
 */
export function latencyAt(counts: ReadonlyMap<number, number>, share: number): number | null {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (total <= 0) return null;
  let below = 0;
  for (const [place, count] of [...counts].toSorted(([a], [b]) => a - b)) {
    if (count > 0 && below + count >= share * total) return within(place, (share * total - below) / count);
    below += count;
  }
  return within(LATENCY_BOUNDS_SECONDS.length, 1);
}

function within(place: number, share: number): number {
  const last = LATENCY_BOUNDS_SECONDS.length;
  const from = place === 0 ? 0 : LATENCY_BOUNDS_SECONDS[Math.min(place, last) - 1]!;
  const to = place >= last ? from : LATENCY_BOUNDS_SECONDS[place]!;
  return Math.round((from + (to - from) * share) * 1_000) / 1_000;
}
