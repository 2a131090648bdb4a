import { isObject } from '@signalbox/domain/is-object';
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
  if (!isObject(raw)) return { problems: [{ field: 'settings', problem: 'must be an object' }] };
  const settings = plainToInstance(kind.Settings, raw, { exposeDefaultValues: true });
  const errors = validateSync(settings, { whitelist: true, forbidNonWhitelisted: true });
  const problems = [
    ...errors.flatMap((error) => problemsOf(error, 'settings', kind)),
    ...secretProblems(kind, secrets),
  ];
  if (problems.length > 0) return { problems };
  const across = kind.check?.(settings, secrets) ?? [];
  return across.length > 0 ? { problems: across } : { settings };
}

/** Finds the host that a row's credentials are sent to; undefined for a kind without one and for unusable settings. */
export function hostOf<Settings extends object>(
  kind: GatewayKind<Settings>,
  raw: unknown,
): string | undefined {
  try {
    return kind.hostOf?.(plainToInstance(kind.Settings, raw, { exposeDefaultValues: true }));
  } catch {
    return undefined;
  }
}

function problemsOf(
  { property, constraints = {}, children = [] }: ValidationError,
  path: string,
  kind: GatewayKind,
): GatewayProblem[] {
  const field = `${path}.${property}`;
  return [
    ...Object.entries(constraints)
      .filter(([rule]) => !LIMITS.has(rule) || !TYPES.some((type) => type in constraints))
      .filter(([rule]) => rule !== NESTED || Object.keys(constraints).length === 1)
      .map(([rule, problem]) => ({
        field,
        problem: rule === UNKNOWN ? unknownIn(kind, property) : inOurWords(rule, problem),
      })),
    ...children.flatMap((child) => problemsOf(child, field, kind)),
  ];
}

/** Rule of a property that the class does not declare. */
const UNKNOWN = 'whitelistValidation';
/** Rule of a property that holds settings; its message speaks of "nested properties". */
const NESTED = 'nestedValidation';
/** A value of another type breaks these too, which says nothing. */
const LIMITS: ReadonlySet<string> = new Set(['min', 'max', 'minLength', 'maxLength']);
const TYPES = ['isInt', 'isString', 'isNumber'];

/** Replaces the words of class-validator about a value that should be an object, or a list of them. */
export function inOurWords(rule: string, problem: string): string {
  if (rule !== NESTED) return problem;
  return problem.startsWith('each value') ? 'must be a list of objects' : 'must be an object';
}

function unknownIn({ kind, secrets }: GatewayKind, name: string): string {
  return secrets.some((secret) => secret.name === name)
    ? `is a credential: give it as secrets.${name}`
    : `is no setting of a gateway of kind ${kind}: see GET /v1/gateway-kinds`;
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
    .map((name) => ({
      field: `secrets.${name}`,
      problem: `is no credential of a gateway of kind ${kind}${namesOf(known)}`,
    }));
  return [...missing, ...unknown];
}

function namesOf(secrets: GatewayKind['secrets']): string {
  return secrets.length === 0 ? '' : `, which has ${secrets.map(({ name }) => name).join(', ')}`;
}
