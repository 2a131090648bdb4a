import { sql } from './sql.ts';

/** The column to step through, in the rows of a table that meet a condition. */
interface Steps {
  column: string;
  table: string;
  where: string;
  /** The value before the first. */
  after: string;
  /** Maximum number of values. */
  limit: string;
}

/**
 * A CTE, for WITH RECURSIVE, of the different values of a column in order, each with its `place` from 1. It steps from
 * value to value through an index, however many rows have each.
 */
export const steps = (name: string, { column, table, where, after, limit }: Steps): string => sql`
  ${name} AS (
    (SELECT ${column}, 1 AS place
       FROM ${table}
      WHERE ${where}
        AND ${column} > ${after}
      ORDER BY ${column}
      LIMIT 1)
    UNION ALL
    SELECT next.${column}, ${name}.place + 1
      FROM ${name}
     CROSS JOIN LATERAL (
       SELECT ${column}
         FROM ${table}
        WHERE ${where}
          AND ${column} > ${name}.${column}
        ORDER BY ${column}
        LIMIT 1
     ) AS next
     WHERE ${name}.place < ${limit}::integer
  )`;
