import { parseInstant } from '@signalbox/domain/instant';
import { MAX_DAYS_AHEAD } from '@signalbox/domain/limits';
import { type Violation, violation } from '@signalbox/domain/violation';
import { invalidRequest } from '../errors/api-error.ts';
import type { SendOptions } from './send-options.dto.ts';

const DAY_MS = 86_400_000;

const NO_INSTANT = 'must be a time in ISO 8601 with its zone, such as 2026-11-20T09:00:00Z';

/** Parses the times of a send into `goesOutAt` and `endsAt`, and checks all but that they are in the future. */
export function readTimes(request: SendOptions): Violation[] {
  const violations: Violation[] = [];
  request.goesOutAt = readTime('sendAt', request.sendAt, Date.now(), violations);
  const from = request.goesOutAt?.getTime() ?? Date.now();
  request.endsAt = readTime('expiresAt', request.expiresAt, from, violations);
  if (request.goesOutAt && request.endsAt && request.endsAt <= request.goesOutAt)
    violations.push(violation('expiresAt', 'out_of_range', 'must be after sendAt'));
  return violations;
}

/**
 * Requires that the times of a new send are in the future. A repeat of an earlier call may come after them.
 *
 * @throws ApiError invalid_request
 */
export function requireFuture({ goesOutAt, endsAt }: SendOptions): void {
  if (!goesOutAt && !endsAt) return; // most calls
  const now = new Date();
  const violations = Object.entries({ sendAt: goesOutAt, expiresAt: endsAt }).flatMap(([field, at]) =>
    at && at <= now ? [violation(field, 'out_of_range', 'must be in the future')] : [],
  );
  if (violations.length > 0) throw invalidRequest(violations);
}

function readTime(field: string, text: unknown, from: number, violations: Violation[]): Date | null {
  if (typeof text !== 'string') return null;
  const at = parseInstant(text);
  if (!at) violations.push(violation(field, 'invalid_format', NO_INSTANT));
  else if (at.getTime() > from + MAX_DAYS_AHEAD * DAY_MS)
    violations.push(violation(field, 'out_of_range', `must be at most ${MAX_DAYS_AHEAD} days ahead`));
  else return at;
  return null;
}
