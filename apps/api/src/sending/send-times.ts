import { parseInstant } from '@signalbox/domain/instant';
import { MAX_DAYS_AHEAD } from '@signalbox/domain/limits';
import type { Violation } from '@signalbox/domain/violation';
import type { SendOptions } from './send-options.dto.ts';

const DAY_MS = 86_400_000;

/** Parses the times of a send into `goesOutAt` and `endsAt`, and checks them. */
export function readTimes(request: SendOptions, now = Date.now()): Violation[] {
  const violations: Violation[] = [];
  const { sendAt, expiresAt } = request;
  request.goesOutAt = readTime('sendAt', sendAt, now, 'in the future', violations);
  const from = request.goesOutAt?.getTime() ?? now;
  const after = request.goesOutAt ? 'after sendAt' : 'in the future';
  request.endsAt = readTime('expiresAt', expiresAt, from, after, violations);
  return violations;
}

function readTime(
  field: string,
  text: unknown,
  from: number,
  after: string,
  violations: Violation[],
): Date | null {
  if (typeof text !== 'string') return null;
  const at = parseInstant(text);
  const problem = at
    ? outOfRange(at, from, after)
    : 'must be a time in ISO 8601 with its zone, such as 2026-11-20T09:00:00Z';
  if (problem === undefined) return at ?? null;
  violations.push({ field, rule: at ? 'out_of_range' : 'invalid_format', message: problem });
  return null;
}

function outOfRange(at: Date, from: number, after: string): string | undefined {
  if (at.getTime() <= from) return `must be ${after}`;
  return at.getTime() > from + MAX_DAYS_AHEAD * DAY_MS
    ? `must be at most ${MAX_DAYS_AHEAD} days ahead`
    : undefined;
}
