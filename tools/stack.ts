import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { migrate } from '@signalbox/database/core/migrate';
import { seedDemoCarriers } from '@signalbox/database/ops/carriers';
import { seedDemo } from '@signalbox/database/accounts/seed';
import { newApiKey } from '@signalbox/domain/api-key';
import { prepareQueue } from '@signalbox/queues/prepare-queue';
import { isPostgres } from '@signalbox/queues/queue-connection';
import { findDatabaseUrlProblem } from '@signalbox/runtime/database-url';
import { findQueueUrlProblem } from '@signalbox/runtime/queue-url';
import { checkRedis } from './cli/doctor/check-redis.ts';
import { explain, unreachable } from './cli/doctor/finding.ts';
import { APPS, AppProcess } from './servers/app-process.ts';
import type { AppName } from './servers/app-process.ts';
import { freePort, thisPort } from './servers/ports.ts';
import { startPostgres } from './servers/postgres.ts';
import type { Postgres } from './servers/postgres.ts';
import { hasRedis, startRedis } from './servers/redis.ts';
import type { Redis } from './servers/redis.ts';
import { keptSecret } from './servers/secret-file.ts';

export type { AppName } from './servers/app-process.ts';

export type Ports = Partial<Record<AppName | 'postgres' | 'redis', number>>;

export interface StackOptions {
  /** The data folder. Created if it does not exist. */
  dir: string;
  /** The queue to start. By default Redis if it is installed, else Postgres. Ignored when `queueUrl` is given. */
  queue?: 'redis' | 'postgres' | undefined;
  /** An existing queue and an existing database, used instead of starting one. */
  queueUrl?: string | undefined;
  databaseUrl?: string | undefined;
  /** The apps to start; by default all five. */
  apps?: readonly AppName[];
  /** Environment of every app; overrides everything else. */
  env?: NodeJS.ProcessEnv;
  /** First ports to try; by default any free port. */
  ports?: Ports;
  /** The port of the API and no other; a taken one is an error. */
  apiPort?: number | undefined;
  /** False runs the compiled modules, for reloads and for profiles by file. By default the bundles run. */
  bundled?: boolean;
  /** First ports to try for the inspector of each app; without them no app has one. */
  inspect?: Record<AppName, number> | undefined;
  /** Settings of the embedded Postgres; they override those for a laptop. */
  postgresSettings?: Record<string, string>;
  /** Called with each line that an app writes. */
  onLine?: ((app: AppName, line: string) => void) | undefined;
  /** Called with a sentence for each step of the start, and for each process that died and is restarted, or is killed. */
  onEvent?: (text: string) => void;
  /** Cancels the start. */
  signal?: AbortSignal;
}

export interface Stack extends AsyncDisposable {
  apiUrl: string;
  /** Key of the demo account; the same at every start on this folder. */
  apiKey: string;
  databaseUrl: string;
  queueUrl: string;
  /** Undefined when an existing one is used. */
  postgres: Postgres | undefined;
  redis: Redis | undefined;
  /** Ports of inspectors, by app; empty without `inspect`. */
  inspectors: ReadonlyMap<AppName, number>;
  /** @throws Error for an app that this stack was started without */
  process(name: AppName): AppProcess;
  /** Ends the apps, each draining for at most 25 s, then Redis and Postgres. */
  stop(): Promise<void>;
}

/**
 * Starts Postgres, a queue and the apps, creates the demo account, and resolves when all are ready. A process that dies
 * later is restarted. `await using stack = await startStack({ dir });`
 *
 * @throws Error when a process does not become ready; everything started so far is stopped
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { dir, signal, onEvent } = options;
  requireAddresses(options);
  mkdirSync(dir, { recursive: true, mode: 0o711 });
  const taken = new Set<number>();
  const portOf = (name: keyof Ports) =>
    name === 'api' && options.apiPort
      ? thisPort(options.apiPort, taken)
      : freePort(options.ports?.[name], taken);
  if (options.queueUrl && !isPostgres(options.queueUrl)) await reachRedis(options.queueUrl);
  await using started = new AsyncDisposableStack();

  const postgres = started.use(await ourPostgres(options, portOf));
  const databaseUrl = options.databaseUrl || postgres?.url || '';
  const redis = started.use(await ourRedis(options, portOf));
  const queueUrl = options.queueUrl || redis?.url || databaseUrl;

  onEvent?.('Preparing the database…');
  const apiKey = demoKey(dir);
  await migrate(databaseUrl).catch(explain('DATABASE_URL'));
  await prepareQueue(queueUrl).catch(explain('QUEUE_URL'));
  await seedDemo(databaseUrl, apiKey);
  await seedDemoCarriers(databaseUrl);

  onEvent?.('Starting the apps…');
  const inspectors = await inspectorPorts(options, taken);
  const servers = { DATABASE_URL: databaseUrl, QUEUE_URL: queueUrl };
  const apps = await createApps(options, portOf, { servers, inspectors });
  started.defer(async () => void (await Promise.all([...apps.values()].map((app) => app.stop()))));
  await Promise.all([...apps.values()].map((app) => app.start(signal)));

  const apiUrl = apps.get('api')?.url ?? '';
  writeDemoAccess(dir, apiUrl, apiKey);
  const everything = started.move();
  const stop = () => everything.disposeAsync();
  const process = (name: AppName) => apps.get(name) ?? notStarted(name);
  return {
    apiUrl,
    apiKey,
    databaseUrl,
    queueUrl,
    postgres,
    redis,
    inspectors,
    process,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Reads the address and key last written to the `demo.env` of a data folder. */
export function readDemoAccess(dir: string): { apiUrl?: string | undefined; apiKey?: string | undefined } {
  const path = demoEnv(dir);
  if (!existsSync(path)) return {};
  const { SIGNALBOX_URL, SIGNALBOX_API_KEY } = parseEnv(readFileSync(path, 'utf8'));
  return { apiUrl: SIGNALBOX_URL, apiKey: SIGNALBOX_API_KEY };
}

/** Writes what the commands of `npm run cli` need to work on a running stack, readable by its owner only. */
export function writeStackAccess(dir: string, { databaseUrl, queueUrl }: Stack): void {
  const settings = {
    DATABASE_URL: databaseUrl,
    QUEUE_URL: queueUrl,
    SECRETS_KEY: process.env.SECRETS_KEY || secretsKey(dir),
    SECRETS_KEYS_OLD: process.env.SECRETS_KEYS_OLD,
    MEDIA_DIR: join(dir, 'media'),
  };
  const lines = Object.entries(settings)
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}='${value}'`); // as a shell that sources the file needs them
  writeFileSync(stackEnv(dir), `${lines.join('\n')}\n`, { mode: 0o600 });
}

/** Removes it: a stack that has stopped has no address. */
export function removeStackAccess(dir: string): void {
  rmSync(stackEnv(dir), { force: true });
}

/** @throws Error that says which address cannot be used, and why */
function requireAddresses({ databaseUrl, queueUrl }: StackOptions): void {
  const problems = [
    databaseUrl ? findDatabaseUrlProblem(databaseUrl) : undefined,
    queueUrl ? findQueueUrlProblem(queueUrl) : undefined,
  ].filter((problem) => problem !== undefined);
  if (problems.length > 0) throw new Error(problems.map((problem) => `${problem}.`).join(' '));
}

/** Connects to a Redis once, because an app waits for one that cannot be reached. */
async function reachRedis(url: string): Promise<void> {
  await checkRedis(url).catch((cause: unknown) => {
    throw new Error(unreachable('redis', 'QUEUE_URL', cause).text, { cause });
  });
}

type PortOf = (name: keyof Ports) => Promise<number>;

async function ourPostgres(options: StackOptions, portOf: PortOf): Promise<Postgres | undefined> {
  if (options.databaseUrl) return undefined;
  options.onEvent?.('Starting Postgres…');
  const { dir, postgresSettings = {}, onEvent, signal } = options;
  return startPostgres({
    dir,
    port: await portOf('postgres'),
    settings: postgresSettings,
    onEvent,
    signal,
  });
}

async function ourRedis(options: StackOptions, portOf: PortOf): Promise<Redis | undefined> {
  const isWanted = options.queue ? options.queue === 'redis' : hasRedis();
  if (options.queueUrl || !isWanted) return undefined;
  options.onEvent?.('Starting Redis…');
  const { dir, onEvent, signal } = options;
  return startRedis({ dir, port: await portOf('redis'), onEvent, signal });
}

/**
 * Settings for trying things out; the user's environment overrides them. Half of the young generation takes 30 MB less
 * memory in every process under load, and a twentieth more CPU.
 */
const TRYING_OUT = {
  NODE_OPTIONS: '--max-semi-space-size=32',
  ALLOW_PRIVATE_WEBHOOKS: '1',
  SIMULATOR_INBOX: '1',
  SENDER_REGISTRATION: 'open',
  RATE_LIMIT_PER_MINUTE: '3000000',
  TEMPLATE_REVIEW: 'auto',
  HOST: '127.0.0.1',
};

async function createApps(
  options: StackOptions,
  portOf: PortOf,
  { servers, inspectors }: { servers: NodeJS.ProcessEnv; inspectors: ReadonlyMap<AppName, number> },
): Promise<Map<AppName, AppProcess>> {
  const { dir, onLine, onEvent = () => {} } = options;
  const secrets = {
    SECRETS_KEY: secretsKey(dir),
    OTP_PEPPER: keptSecret(join(dir, 'otp.pepper'), newKey),
    CALLBACK_SECRETS: `chat-simulator:${keptSecret(join(dir, 'callback.secret'), newKey)}`,
  };
  const ports = new Map<AppName, number>();
  for (const name of options.apps ?? APPS) ports.set(name, await portOf(name));
  // of the api, also for the workers: vendors call their reports there
  const address = ports.has('api') ? { PUBLIC_URL: `http://127.0.0.1:${ports.get('api')}` } : {};
  const apps = new Map<AppName, AppProcess>();
  for (const [name, port] of ports) {
    // Code compiled by one start is reused by the next.
    const cache = { NODE_COMPILE_CACHE: join(dir, 'compile-cache') };
    const media = { MEDIA_DIR: join(dir, 'media') };
    const base = {
      ...TRYING_OUT,
      ...cache,
      ...media,
      ...address,
      ...secrets,
      ...givenSettings(),
      ...servers,
      ...options.env,
    };
    const env = withInspector(base, inspectors.get(name));
    apps.set(
      name,
      new AppProcess({
        name,
        dir,
        port,
        env,
        bundled: options.bundled ?? true,
        onLine: onLine && ((line) => onLine(name, line)),
        onEvent,
      }),
    );
  }
  return apps;
}

/** The environment without its empty values, which count as absent. */
function givenSettings(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''));
}

async function inspectorPorts(
  { inspect, apps = APPS }: StackOptions,
  taken: Set<number>,
): Promise<Map<AppName, number>> {
  const ports = new Map<AppName, number>();
  if (inspect) for (const name of apps) ports.set(name, await freePort(inspect[name], taken));
  return ports;
}

function withInspector(env: NodeJS.ProcessEnv, port: number | undefined): NodeJS.ProcessEnv {
  if (port === undefined) return env;
  return {
    ...env,
    NODE_OPTIONS: `${env['NODE_OPTIONS'] ?? ''} --enable-source-maps --inspect=127.0.0.1:${port}`,
  };
}

function demoKey(dir: string): string {
  return readDemoAccess(dir).apiKey ?? newApiKey('test');
}

function writeDemoAccess(dir: string, apiUrl: string, apiKey: string): void {
  writeFileSync(demoEnv(dir), `export SIGNALBOX_URL=${apiUrl}\nexport SIGNALBOX_API_KEY=${apiKey}\n`, {
    mode: 0o600,
  });
}

function newKey(): string {
  return randomBytes(32).toString('base64');
}

function secretsKey(dir: string): string {
  return keptSecret(join(dir, 'secrets.key'), newKey);
}

function stackEnv(dir: string): string {
  return join(dir, 'stack.env');
}

function demoEnv(dir: string): string {
  return join(dir, 'demo.env');
}

function notStarted(name: AppName): never {
  throw new Error(`${name} is not part of this stack`);
}
