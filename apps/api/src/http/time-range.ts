import { parseInstant } from '@signalbox/domain/instant';
import type { Violation } from '@signalbox/domain/violation';

/** A range of time: from inclusive, to exclusive; undefined where it is open. */
export interface TimeRange {
  from: Date | undefined;
  to: Date | undefined;
}

/** The names of the two fields of a range. */
type Names = readonly [from: string, to: string];
const NAMES: Names = ['from', 'to'];

/**
 * Parses the two times of a filter, and reports violations. Values that are no text are skipped: their own rules report
 * them.
 */
export function readTimeRange(
  given: { from?: unknown; to?: unknown },
  violations: Violation[],
  [start, end] = NAMES,
): TimeRange {
  const from = readTime(start, given.from, violations);
  const to = readTime(end, given.to, violations);
  if (from && to && to <= from)
    violations.push({ field: end, rule: 'out_of_range', message: `must be after ${start}` });
  return { from, to };
}

/** Sets `times` to the range that `from` and `to` give, and returns violations. */
export function readTimes(
  request: { times: TimeRange },
  given: { from?: string | undefined; to?: string | undefined },
  names = NAMES,
): Violation[] {
  const violations: Violation[] = [];
  request.times = readTimeRange(given, violations, names);
  return violations;
}

function readTime(field: string, text: unknown, violations: Violation[]): Date | undefined {
  if (typeof text !== 'string') return undefined;
  const at = parseInstant(text);
  if (!at)
    violations.push({
      field,
      rule: 'invalid_format',
      message: 'must be a time in ISO 8601 with its zone, such as 2026-11-20T09:00:00Z',
    });
  return at;
}
