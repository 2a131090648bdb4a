/** The lowest UUID. */
export const MIN_UUID = '00000000-0000-0000-0000-000000000000';

/** The greatest UUID. */
export const MAX_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * Builds the lowest UUIDv7 of a millisecond.
 *
 * @param time epoch milliseconds, clamped to the range of UUIDv7
 */
export function firstIdAt(time: number): string {
  const hex = Math.min(Math.max(time, 0), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** Reads the creation time of a UUIDv7. */
export function timeOf(id: string): Date {
  return new Date(millisOf(id));
}

/** Reads the creation time of a UUIDv7, as epoch milliseconds. */
export function millisOf(id: string): number {
  return Number.parseInt(id.slice(0, 8), 16) * 2 ** 16 + Number.parseInt(id.slice(9, 13), 16);
}
