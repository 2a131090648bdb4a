import { plainToInstance } from 'class-transformer';
import { type ValidationError, validateSync } from 'class-validator';
import type { GatewayKind, GatewayProblem } from './gateway-kind.ts';

/** Settings and credentials that an adapter may be opened with, or everything that is wrong with them. */
export type ReadSettings<Settings> = { settings: Settings } | { problems: GatewayProblem[] };

/**
 * Reads the settings of a row with its opened secrets: types and limits by the kind's class, required credentials, and
 * checks across fields. Fields are named `settings.host` and `secrets.password`.
 */
export function readSettings<Settings extends object>(
  kind: GatewayKind<Settings>,
  raw: unknown,
  secrets: Record<string, string>,
): ReadSettings<Settings> {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    return { problems: [{ field: 'settings', problem: 'must be an object' }] };
  const settings = plainToInstance(kind.Settings, raw, { exposeDefaultValues: true });
  const errors = validateSync(settings, { whitelist: true, forbidNonWhitelisted: true });
  const problems = [
    ...errors.flatMap((error) => problemsOf(error, 'settings')),
    ...secretProblems(kind, secrets),
  ];
  if (problems.length > 0) return { problems };
  const across = kind.check?.(settings, secrets) ?? [];
  return across.length > 0 ? { problems: across } : { settings };
}

function problemsOf({ property, constraints, children }: ValidationError, path: string): GatewayProblem[] {
  const field = `${path}.${property}`;
  return [
    ...Object.values(constraints ?? {}).map((problem) => ({ field, problem })),
    ...(children ?? []).flatMap((child) => problemsOf(child, field)),
  ];
}

function secretProblems(
  { kind, secrets: known }: GatewayKind,
  given: Record<string, string>,
): GatewayProblem[] {
  const missing = known.flatMap(({ name, required, help }) =>
    required && !given[name] ? [{ field: `secrets.${name}`, problem: `is required: ${help}` }] : [],
  );
  const unknown = Object.keys(given)
    .filter((name) => !known.some((secret) => secret.name === name))
    .map((name) => ({ field: `secrets.${name}`, problem: `is no credential of a gateway of kind ${kind}` }));
  return [...missing, ...unknown];
}
