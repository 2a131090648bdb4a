import { sql } from '../core/sql.ts';

/** The smallest UUIDv7 of an instant, in SQL: smaller ids were made before. */
export const firstIdAtSql = (instant: string): string =>
  sql`
    (
      lpad(
        to_hex((
          extract(epoch FROM ${instant}) * 1000
        )::bigint), 12, '0'
      ) || '70008000000000000000'
    )::uuid`;
