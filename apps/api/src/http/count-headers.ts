import type { IncomingMessage } from 'node:http';

/**
 * Counts the headers of a name as they came: Node joins the values of several, or drops all but one.
 *
 * @param name in lower case
 */
export function countHeaders({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  // names are at even places, values at odd ones
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const given = rawHeaders[i]!;
    if (given.length === name.length && given.toLowerCase() === name) count += 1;
  }
  return count;
}
