import { readFile } from 'node:fs/promises';
import type { EntityManager } from '@signalbox/database/core/in-transaction';
import type { Sealer } from '@signalbox/runtime/seal';
import {
  type FileProblem,
  type GatewaysFile,
  InvalidGatewaysFile,
  UnreadableGatewaysFile,
  readGatewaysFile,
} from './gateways-file.ts';
import {
  checkMalformedGateway,
  checkMalformedRoute,
  isMalformed,
  listsOf,
  repeatedNames,
} from './malformed-specs.ts';
import { InvalidRouting, RoutingConflict, requireNone } from './invalid-routing.ts';
import { RoutingStore } from './routing-store.ts';

/** The rows that a file changed, by name. */
export interface AppliedFile {
  created: string[];
  changed: string[];
  /** Rows of an earlier file that this one does not name. */
  disabled: string[];
}

/** Reads GATEWAYS_FILE and applies it. @throws InvalidGatewaysFile, UnreadableGatewaysFile, or an error of the database */
export async function applyGatewaysFile(
  db: EntityManager,
  sealer: Sealer,
  path: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<AppliedFile> {
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new UnreadableGatewaysFile(path, cause);
  });
  try {
    const file = readGatewaysFile(text, environment);
    return await db.transaction(async (transaction) =>
      apply(await RoutingStore.open(transaction, sealer), file),
    );
  } catch (error) {
    throw error instanceof InvalidGatewaysFile ? new InvalidGatewaysFile(error.problems, path) : error;
  }
}

/**
 * Makes the rows match the file, all or nothing. Rows of the API that it names become its own; rows of an earlier file
 * that it does not name are disabled. A file that was applied before changes nothing.
 *
 * @throws InvalidGatewaysFile with every problem of the file
 */
async function apply(store: RoutingStore, file: GatewaysFile): Promise<AppliedFile> {
  const applied: AppliedFile = { created: [], changed: [], disabled: [] };
  const { gateways, routes } = listsOf(file.spec);
  const problems: FileProblem[] = [...file.problems, ...repeatedNames('gateways', gateways, file)];
  problems.push(...repeatedNames('routes', routes, file));
  const attempt = async (path: string, work: () => Promise<void>): Promise<void> => {
    await work().catch((error: unknown) => problems.push(...problemsOf(error, path, file)));
  };
  await disableOthers(store, file, applied);
  for (const [i, spec] of gateways.entries())
    await attempt(`gateways[${i}]`, async () => {
      if (isMalformed(`gateways[${i}]`, file)) return requireNone(checkMalformedGateway(spec));
      const row = store.findGateway(spec.name);
      if (!row) await store.createGateway(spec, 'file');
      else if (!(await store.setGateway(row, spec))) return;
      applied[row ? 'changed' : 'created'].push(spec.name);
    });
  for (const [i, spec] of routes.entries())
    await attempt(`routes[${i}]`, async () => {
      if (isMalformed(`routes[${i}]`, file)) return checkMalformedRoute(store, spec);
      const row = store.findRoute({ name: spec.name });
      if (!row) await store.createRoute(spec, 'file');
      else if (!(await store.setRoute(row, spec))) return;
      applied[row ? 'changed' : 'created'].push(spec.name);
    });
  if (problems.length === 0) await attempt('gateways', async () => store.requireDecided());
  if (problems.length > 0) throw new InvalidGatewaysFile(problems);
  return applied;
}

/** Disables first, so that a default route can take the place of another. */
async function disableOthers(
  store: RoutingStore,
  { spec }: GatewaysFile,
  applied: AppliedFile,
): Promise<void> {
  const named = listsOf(spec);
  const routes = unnamed(store.listRoutes(), named.routes);
  const gateways = unnamed(store.listGateways(), named.gateways);
  for (const row of routes) await store.changeRoute(row, { enabled: false });
  for (const row of gateways) await store.changeGateway(row, { enabled: false });
  applied.disabled.push(...[...routes, ...gateways].map(({ name }) => name));
}

/** The enabled rows of an earlier file that this one does not name. */
function unnamed<Row extends { name: string; source: string; enabled: boolean }>(
  rows: readonly Row[],
  specs: readonly { name: string }[],
): Row[] {
  const names = new Set(specs.map(({ name }) => name));
  return rows.filter(({ name, source, enabled }) => source === 'file' && enabled && !names.has(name));
}

/** Maps an error to problems. A gateway that has problems is no unknown one, and a field has one problem. */
function problemsOf(error: unknown, path: string, file: GatewaysFile): FileProblem[] {
  if (error instanceof RoutingConflict)
    return [file.problemOf(path, { field: '', message: `cannot be saved. ${error.message}` })];
  if (!(error instanceof InvalidRouting)) throw error;
  const named = listsOf(file.spec).gateways.map(({ name }) => `there is no "${name}"`);
  return error.violations
    .filter(
      ({ rule, message }) => rule !== 'unknown_gateway' || !named.some((each) => message.includes(each)),
    )
    .map((violation) => file.problemOf(path, violation))
    .filter(({ field }) => !file.problems.some((each) => each.field === field));
}
