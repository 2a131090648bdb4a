import type { Load } from '../support/load.ts';
import type { Tenant } from '../support/service.ts';

/** Milliseconds from the 2xx of each accepted message to its first push; Infinity without one. */
export function pushTimes({ accepted }: Load, { receivedAt }: Tenant): number[] {
  return Array.from(accepted, ([id, at]) => (receivedAt.get(id) ?? Infinity) - at);
}

/** Returns the 99th percentile, rounded to tenths; Infinity of no values. */
export function p99(values: readonly number[]): number {
  const found = values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Infinity;
  return Number(found.toFixed(1));
}
