import { createHash } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import pg from 'pg';

/** The SQLSTATE read_only_sql_transaction. */
const READ_ONLY = '25006';

const names = new Map<string, string>();

/**
 * A pg client that prepares each statement once per connection. The statements of this library are constant texts, and
 * planning one for every batch costs more than many of them take to run.
 * A connection that refuses writes is closed, since a former primary may keep it open for ever: its pool opens another.
 */
export class StatementClient extends pg.Client {
  constructor(config: pg.ClientConfig) {
    super(config);
    const { connection } = this as unknown as { connection: EventEmitter };
    connection.on('errorMessage', ({ code }: { code?: string }) => {
      if (code === READ_ONLY) void this.end().catch(() => undefined); // before its pool takes it back
    });
  }

  // @ts-expect-error pg's overloads cannot be stated on an override; every form but (text, values) passes through
  // unchanged.
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
