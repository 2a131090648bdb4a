import { violation } from '@signalbox/domain/violation';
import { ApiError } from '../errors/api-error.ts';

/** Edits that make a mistyped name at most, and of a short name half of its letters: `step` is not meant to be `to`. */
const MAX_DISTANCE = 3;

/**
 * Refuses query parameters that an operation does not know: a mistyped filter must not return everything, and a
 * mistyped option must not be left out of a write.
 */
export function unknownParameters(names: readonly string[], known: readonly string[]): ApiError {
  const details = names.map((name) => violation(name, 'unknown_parameter', hint(name, known)));
  const message = `${names[0]} ${details[0]!.message}`;
  return new ApiError('unknown_parameter', message, { details });
}

function hint(name: string, known: readonly string[]): string {
  if (known.length === 0) return 'is unknown: the operation has no query parameters';
  const [nearest] = known
    .map((each) => ({ each, distance: distanceOf(name.toLowerCase(), each.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance);
  if (nearest!.distance <= Math.min(MAX_DISTANCE, name.length / 2))
    return `is unknown; did you mean ${nearest!.each}?`;
  return `is unknown; the operation knows ${known.join(', ')}`;
}

/** Levenshtein distance. A long name is like no other. */
function distanceOf(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MAX_DISTANCE) return MAX_DISTANCE + 1;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}
