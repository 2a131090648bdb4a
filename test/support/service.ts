import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createAccountKey } from '@signalbox/database/accounts/seed';
import type { AppProcess } from '../../tools/servers/app-process.ts';
import { endLeftOvers, writePidFile } from '../../tools/servers/pid-file.ts';
import { freePort } from '../../tools/servers/ports.ts';
import { removePostgresData } from '../../tools/servers/postgres-home.ts';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { type AppName, type Stack, type StackOptions, startStack } from '../../tools/stack.ts';
import { createDatabase, openQueries } from './database.ts';
import type { QueueBackend } from './queue.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { Load, type LoadOptions } from './load.ts';
import { makeServerFolder } from './server-folder.ts';

/**
 * Milliseconds after a fault within which every message accepted before is pushed. Another worker claims the batch of a
 * killed one within 15 s; the rest is for its start and a slow machine.
 */
export const RECOVERY_MS = 120_000;

/** Rounds of kills in the tests of faults. `FAULT_ROUNDS=5` is a long form, for changes of claims and queues. */
export const FAULT_ROUNDS = Number(process.env['FAULT_ROUNDS'] ?? 1);

/** The apps that take an SMS from the API to a webhook. */
const APPS = ['api', 'sms-worker', 'dlr-worker'] as const satisfies AppName[];
/** The sentence about a process that ended and is started again. */
const RESTART = /starting it again/;
/** Below the ephemeral ports: an outgoing connection could take the port of a process that is down. */
const FIRST_PORT = 15_000;
const PORTS = 15_000;
const ROOT = join(import.meta.dirname, '../..');

export interface ServiceOptions {
  queue: QueueBackend['name'];
  /** Queues and database that exist already, instead of those that the service would start. */
  queueUrl?: string;
  databaseUrl?: string;
  /** True starts a Postgres that a test may stop. By default the service gets a database on the shared one. */
  ownPostgres?: boolean;
  /** Apps to start; by default those that take an SMS from the API to a webhook. */
  apps?: readonly AppName[];
  /** Environment of every app, over that of all tests. */
  env?: NodeJS.ProcessEnv;
  /** Port of the API; by default any free one. */
  apiPort?: number;
  /** Receives each line that an app writes. */
  onLine?: StackOptions['onLine'];
  /** True when the test makes a process crash. Another crash is printed, since a later assertion cannot tell its cause. */
  crashes?: boolean;
}

/** The service as separate processes, for a test to kill. */
export interface Service extends AsyncDisposable {
  stack: Stack;
  /** The data folder, with the files that `npm start` writes for its user. */
  dir: string;
  /** Runs a statement once the previous one has ended; a broken connection is replaced. */
  query: <Row extends object>(sql: string) => Promise<Row[]>;
  /** Ids of the messages that satisfy a condition. */
  listMessages: (condition: string) => Promise<string[]>;
  /** Messages claimed more than once: submitted twice, or claimed by a worker that died before the submit. */
  listSubmittedAgain: () => Promise<string[]>;
  /** Creates an account with a webhook of 64 concurrent calls, so that no test sees another's messages. */
  createTenant: () => Promise<Tenant>;
  /** Starts a second process of an app. */
  startTwin: (app: AppName) => Promise<AppProcess>;
}

/**
 * Starts the service as built: `await using service = await startService({ queue })`.
 *
 * @throws Error when there is no build
 */
export async function startService({
  queue,
  queueUrl,
  databaseUrl: givenUrl,
  ownPostgres = false,
  apps = APPS,
  env = {},
  apiPort,
  onLine,
  crashes = false,
}: ServiceOptions): Promise<Service> {
  if (!apps.every((app) => existsSync(join(ROOT, 'apps', app, 'dist/bundle/main.js')))) {
    throw new Error('there is no build of the apps: run `node tools/bootstrap.mjs build` first');
  }
  await using started = new AsyncDisposableStack();
  const dir = started.adopt(makeDir(), removeDir);
  const databaseUrl = ownPostgres ? undefined : (givenUrl ?? started.use(await createDatabase()).url);
  const ports = randomPorts([...apps, 'postgres', 'redis']);
  const onEvent = crashes ? () => undefined : printRestart;
  const allEnv = { LOG_LEVEL: 'warn', PGCONNECT_TIMEOUT: '', SIMULATOR_DELAY_MS: '50', ...env };
  const stack = started.use(
    await startStack({
      dir,
      queue,
      queueUrl,
      databaseUrl,
      apps,
      env: allEnv,
      ports,
      apiPort,
      onLine,
      onEvent,
    }),
  );
  const { query } = started.use(openQueries(stack.databaseUrl));
  const all = started.move();
  const listMessages = async (condition: string) => {
    const rows = await query<{ id: string }>(
      `SELECT submission_id || ':' || n AS id FROM message WHERE ${condition}`,
    );
    return rows.map(({ id }) => id);
  };
  return {
    stack,
    dir,
    query,
    listMessages,
    listSubmittedAgain: () => listMessages('starts > 1'),
    createTenant: () => createTenant(stack),
    startTwin: (app) => startTwin(stack.process(app), all),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

function randomPorts(names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, FIRST_PORT + Math.floor(Math.random() * PORTS)]));
}

/** Prints that a process ended and is started again. */
function printRestart(text: string): void {
  if (RESTART.test(text)) process.stderr.write(`${text}\n`);
}

async function startTwin(app: AppProcess, all: AsyncDisposableStack): Promise<AppProcess> {
  const twin = app.twin(all.adopt(makeDir(), removeDir), await freePort());
  all.defer(() => twin.stop());
  try {
    await twin.start();
  } catch (error) {
    await twin.stop(); // it would be started again
    throw error;
  }
  return twin;
}

/** An account with a webhook, and the calls to it. */
export interface Tenant extends AsyncDisposable {
  receiver: Receiver;
  /** Time of the first push of each message. */
  receivedAt: Map<string, number>;
  addWebhook: (name: string, endPoint: string, maxInFlight?: number) => Promise<string>;
  /** Makes a POST without a body, and resolves with its status. */
  post: (path: string) => Promise<number>;
  startLoad: (options?: Omit<LoadOptions, 'apiUrl' | 'apiKey'>) => Load;
  /** Resolves when every accepted message was pushed. @throws Error with the number of the others after `timeoutMs` */
  untilPushed: (load: Load, timeoutMs: number) => Promise<void>;
}

let tenants = 0;

async function createTenant(stack: Stack): Promise<Tenant> {
  const apiKey = await createAccountKey(stack.databaseUrl, `Tenant ${(tenants += 1)}`, 'test');
  const receivedAt = new Map<string, number>();
  const receiver = await startReceiver(({ report, at }, response) => {
    const { messageId = '' } = report;
    if (!receivedAt.has(messageId)) receivedAt.set(messageId, at);
    response.end();
  });
  const addWebhook = (name: string, endPoint: string, maxInFlight?: number) =>
    createWebhook(stack, apiKey, { name, endPoint, maxInFlight });
  await addWebhook('reports', receiver.url, 64);
  return {
    receiver,
    receivedAt,
    addWebhook,
    post: async (path) => {
      const answer = await fetch(stack.apiUrl + path, { method: 'POST', headers: { apikey: apiKey } });
      await answer.body?.cancel();
      return answer.status;
    },
    startLoad: (options) => new Load({ apiUrl: stack.apiUrl, apiKey, ...options }),
    untilPushed: async (load, timeoutMs) => {
      const missing = () => [...load.accepted.keys()].filter((id) => !receivedAt.has(id));
      await waitFor(() => missing().length === 0, {
        timeoutMs,
        otherwise: 'accepted messages were not pushed',
      }).catch((cause: unknown) => {
        throw new Error(
          `${missing().length} of ${load.accepted.size} accepted messages were not pushed within ${timeoutMs} ms: ${missing().slice(0, 3).join(', ')}…`,
          { cause },
        );
      });
    },
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  };
}

async function createWebhook(
  stack: Stack,
  apiKey: string,
  webhook: { name: string; endPoint: string; maxInFlight: number | undefined },
): Promise<string> {
  const answer = await fetch(`${stack.apiUrl}/v1/webhooks`, {
    method: 'POST',
    headers: { apikey: apiKey, 'content-type': 'application/json' },
    body: JSON.stringify(webhook),
  });
  if (answer.status !== 201) throw new Error(`the webhook was not created: ${await answer.text()}`);
  return ((await answer.json()) as { data: { id: string } }).data.id;
}

const dirs = new Set<string>();

/** Creates a folder; after a killed run the next one removes it and ends the processes noted in it. */
function makeDir(): string {
  const dir = makeServerFolder('signalbox-test-service-');
  writePidFile(join(dir, 'run.owner'), process.pid);
  dirs.add(dir);
  return dir;
}

function removeDir(path: string): void {
  removePostgresData(path);
  rmSync(path, { recursive: true, force: true });
  dirs.delete(path);
}

/** Ends the processes of all services of an interrupted run. This process must end next: it would restart them. */
export async function endServices(): Promise<void> {
  for (const dir of dirs) {
    await endLeftOvers(dir, 0);
    removeDir(dir);
  }
}
