import { createHash } from 'node:crypto';
import pg from 'pg';

const names = new Map<string, string>();

/**
 * A pg client that prepares each statement once per connection. The statements of this library are constant texts, and
 * planning one for every batch costs more than many of them take to run.
 */
export class StatementClient extends pg.Client {
  // @ts-expect-error pg's overloads cannot be stated on an override; every form but (text, values) passes through unchanged.
  override query(text: unknown, values?: unknown, callback?: unknown): unknown {
    const forward = super.query.bind(this) as (...args: unknown[]) => unknown;
    if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0)
      return forward(text, values, callback);
    return forward({ name: statementName(text), text, values }, callback);
  }
}

function statementName(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = createHash('sha1').update(text).digest('base64url');
    names.set(text, name);
  }
  return name;
}
