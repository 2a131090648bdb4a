/** No UUID is greater. */
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The lowest UUIDv7 of a millisecond since 1970; of times before, and after all that UUIDv7 can hold, the lowest and the last. */
export function firstIdAt(time: number): string {
  const hex = Math.min(Math.max(time, 0), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** When a UUIDv7 was made. */
export function timeOf(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}
