import type { QuietRule } from '@signalbox/domain/sms/quiet-hours';
import type { EntityManager } from 'typeorm';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';

/** The quiet hours of a lane as parameters of a statement, four from `first` on. */
export const quietRules = (first: number) =>
  rowset(
    'r',
    {
      prefix: 'text',
      quiet_from: ['time', (rule: QuietRule) => rule.from],
      quiet_until: ['time', (rule: QuietRule) => rule.until],
      zone: 'text',
    },
    first,
  );

/** A CTE of the quiet hours that are in force now, by the database's clock, each with the time at which it ends. */
export function quietNow(rules: ReturnType<typeof quietRules>): string {
  return sql`
    quiet AS MATERIALIZED (
      -- it ends tomorrow when today's end is past, on the clock of its zone
      SELECT r.prefix,
             (l.now::date + r.quiet_until
               + CASE WHEN l.now::time >= r.quiet_until THEN interval '1 day' ELSE interval '0' END
             ) AT TIME ZONE r.zone AS ends_at
        FROM ${rules.from}
       CROSS JOIN LATERAL (SELECT now() AT TIME ZONE r.zone AS now) AS l
       WHERE CASE
               WHEN r.quiet_from < r.quiet_until
               THEN l.now::time >= r.quiet_from AND l.now::time < r.quiet_until
               ELSE l.now::time >= r.quiet_from OR l.now::time < r.quiet_until
             END
    )`;
}

/** A query for the end of the quiet hours of a recipient; null outside of them. Needs the CTE `quiet`. */
export function quietEnd(recipient: string): string {
  return sql`
    SELECT max(ends_at)
      FROM quiet
     WHERE starts_with(${recipient}, prefix)`;
}

/** As an expression, which costs nothing for a lane outside quiet hours. */
export function quietUntil(recipient: string): string {
  return sql`
    CASE WHEN EXISTS (SELECT FROM quiet) THEN (
      ${quietEnd(recipient)}
    ) END`;
}

/** @throws Error when Postgres does not know the time zone of a rule: every statement about its lane would fail */
export async function requireTimeZones(db: EntityManager, rules: readonly QuietRule[]): Promise<void> {
  const unknown: { zone: string }[] = await db.query(
    `SELECT zone
       FROM unnest($1::text[]) AS r(zone)
      WHERE zone NOT IN (SELECT name FROM pg_timezone_names)`,
    [rules.map((rule) => rule.zone)],
  );
  if (unknown.length > 0)
    throw new Error(`QUIET_HOURS: Postgres knows no time zone ${unknown.map(({ zone }) => zone).join(', ')}`);
}
