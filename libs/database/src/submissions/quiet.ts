import type { QuietRule } from '@signalbox/domain/sms/quiet-hours';
import type { EntityManager } from 'typeorm';

/** The parameters of `QUIET` for a statement about one lane: one array per column. */
export function quietColumns(rules: readonly QuietRule[]): unknown[] {
  return [
    rules.map((r) => r.prefix),
    rules.map((r) => r.from),
    rules.map((r) => r.until),
    rules.map((r) => r.zone),
  ];
}

/** A CTE `quiet` of the rules in force at this moment of the database, each with the time at which it ends. `$n` is its first parameter of four. */
export function quietNow(n: number): string {
  return `quiet AS MATERIALIZED (
    SELECT r.prefix,
           (l.now::date + r.quiet_until + CASE WHEN l.now::time >= r.quiet_until THEN interval '1 day' ELSE interval '0' END) AT TIME ZONE r.zone AS ends_at
      FROM unnest($${n}::text[], $${n + 1}::time[], $${n + 2}::time[], $${n + 3}::text[]) AS r(prefix, quiet_from, quiet_until, zone)
     CROSS JOIN LATERAL (SELECT now() AT TIME ZONE r.zone AS now) AS l
     WHERE CASE WHEN r.quiet_from < r.quiet_until THEN l.now::time >= r.quiet_from AND l.now::time < r.quiet_until
                ELSE l.now::time >= r.quiet_from OR l.now::time < r.quiet_until END)`;
}

/** Until when a recipient is to be left alone; null when it may get its message now. */
export function quietUntil(recipient: string): string {
  return `CASE WHEN EXISTS (SELECT FROM quiet) THEN (SELECT max(ends_at) FROM quiet WHERE starts_with(${recipient}, prefix)) END`;
}

/** @throws Error when the database does not know the time zone of a rule: every statement about its lane would fail */
export async function requireTimeZones(db: EntityManager, rules: readonly QuietRule[]): Promise<void> {
  const unknown: { zone: string }[] = await db.query(
    `SELECT zone FROM unnest($1::text[]) AS r(zone) WHERE zone NOT IN (SELECT name FROM pg_timezone_names)`,
    [rules.map((rule) => rule.zone)],
  );
  if (unknown.length > 0)
    throw new Error(`QUIET_HOURS: Postgres knows no time zone ${unknown.map(({ zone }) => zone).join(', ')}`);
}
