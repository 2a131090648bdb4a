import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { writePidFile } from '../../tools/servers/pid-file.ts';
import { freePort } from '../../tools/servers/ports.ts';
import { SupervisedProcess } from '../../tools/servers/supervised-process.ts';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { waitUntilUp } from '../../tools/servers/wait-until-up.ts';
import { makeCertificates } from './authority.ts';
import { makeServerFolder } from './server-folder.ts';

const PASSWORD = 'of-the-drill';
const MASTER = 'drill';

/** Milliseconds of silence after which a server counts as down. */
const DOWN_AFTER_MS = 2_000;

/** One server, which `process.stop('SIGKILL')` kills and nothing restarts. */
export interface GroupServer {
  port: number;
  process: SupervisedProcess;
  /** Certificate of the authority of a server with TLS. */
  authority: string | undefined;
}

/** Servers of Redis that replace one another. */
export interface RedisGroup extends AsyncDisposable {
  /** The QUEUE_URL of the group. */
  url: string;
  /** File of the authority that signed the certificates; undefined without TLS. */
  authority: string | undefined;
  /** The server that now holds a key. */
  primaryOf: (key: string) => Promise<GroupServer>;
  /** Runs a command on one server. */
  ask: <Answer>(server: GroupServer, ...command: string[]) => Promise<Answer>;
  /** Lists the keys of a pattern on all servers, each once. */
  keys: (pattern: string) => Promise<string[]>;
}

/** Starts a primary, a replica and three sentinels; with TLS under the name `localhost`. */
export async function startSentinelGroup({ hasTls = false } = {}): Promise<RedisGroup> {
  await using started = new AsyncDisposableStack();
  const { start, authority } = starter(started, hasTls);
  const ports = new Set<number>();
  const [first, second, ...others] = await Promise.all(Array.from({ length: 5 }, () => freePort(0, ports)));
  const servers = [
    await start(first!, dataLines(first!)),
    await start(second!, [...dataLines(second!), `replicaof localhost ${first}`]),
  ];
  await waitFor(async () => String(await ask(servers[1]!, 'INFO')).includes('master_link_status:up'), {
    otherwise: 'the replica did not reach its primary',
  });
  const sentinels = await Promise.all(
    others.map((port) => start(port, sentinelLines(port, first!), '--sentinel')),
  );
  const sees = async (sentinel: GroupServer) =>
    /num-other-sentinels,2\b/.test(String(await ask(sentinel, 'SENTINEL', 'MASTER', MASTER))) &&
    /num-slaves,1\b/.test(String(await ask(sentinel, 'SENTINEL', 'MASTER', MASTER)));
  for (const sentinel of sentinels)
    await waitFor(() => sees(sentinel), { otherwise: 'the sentinels did not find each other' });
  const all = started.move();
  return {
    url: `redis${hasTls ? 's' : ''}+sentinel://:${PASSWORD}@${others.map((port) => `localhost:${port}`).join(',')}/?master=${MASTER}&sentinelPassword=${PASSWORD}`,
    authority,
    primaryOf: async () => {
      const [, port] = await ask<string[]>(sentinels[0]!, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', MASTER);
      return servers.find((server) => server.port === Number(port))!;
    },
    ask,
    keys: (pattern) => keysOf(servers, pattern),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Starts a Cluster of three primaries with a replica each; with TLS under the name `localhost`. */
export async function startRedisCluster({ hasTls = false } = {}): Promise<RedisGroup> {
  await using started = new AsyncDisposableStack();
  const { start, authority } = starter(started, hasTls);
  const taken = new Set<number>();
  const ports = await Promise.all(Array.from({ length: 6 }, () => freePort(0, taken)));
  const buses = await Promise.all(Array.from({ length: 6 }, () => freePort(0, taken)));
  const servers = await Promise.all(ports.map((port, i) => start(port, clusterLines(port, buses[i]!))));
  const hosts = ports.map((port) => `127.0.0.1:${port}`);
  const tls = authority === undefined ? [] : ['--tls', '--cacert', authority];
  const create = [...tls, '--cluster', 'create', ...hosts, '--cluster-replicas', '1', '--cluster-yes'];
  execFileSync('redis-cli', create, { env: { ...process.env, REDISCLI_AUTH: PASSWORD }, stdio: 'pipe' });
  const isReady = async (server: GroupServer) =>
    String(await ask(server, 'CLUSTER', 'INFO')).includes('cluster_state:ok') &&
    String(await ask(server, 'CLUSTER', 'SLOTS')).split('localhost').length === 7;
  for (const server of servers)
    await waitFor(() => isReady(server), { otherwise: 'the cluster did not come up' });
  const all = started.move();
  return {
    url: `redis${hasTls ? 's' : ''}+cluster://:${PASSWORD}@${ports
      .slice(0, 3)
      .map((port) => `localhost:${port}`)
      .join(',')}`,
    authority,
    primaryOf: async (key) => {
      const live = servers.find(({ process }) => process.pid !== undefined)!;
      const slot = await ask<number>(live, 'CLUSTER', 'KEYSLOT', key);
      const ranges = await ask<[number, number, [string, number]][]>(live, 'CLUSTER', 'SLOTS');
      const [, , [, port]] = ranges.find(([from, to]) => from <= slot && slot <= to)!;
      return servers.find((server) => server.port === port)!;
    },
    ask,
    keys: (pattern) => keysOf(servers, pattern),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

type Start = (port: number, lines: string[], ...flags: string[]) => Promise<GroupServer>;

/**
 * Returns a function that starts servers in one folder, which is removed with them, and the file of their authority.
 */
function starter(
  started: AsyncDisposableStack,
  hasTls: boolean,
): { start: Start; authority: string | undefined } {
  const dir = started.adopt(makeServerFolder('signalbox-test-redis-'), (path) =>
    rmSync(path, { recursive: true, force: true }),
  );
  writePidFile(join(dir, 'run.owner'), process.pid);
  if (hasTls) makeCertificates(dir);
  const authority = hasTls ? join(dir, 'authority.pem') : undefined;
  const start: Start = async (port, lines, ...flags) => {
    const config = join(dir, `${port}.conf`);
    const logFile = join(dir, `${port}.log`);
    mkdirSync(join(dir, String(port)));
    const listen = hasTls ? tlsLines(port, dir) : [`port ${port}`];
    const all = [...listen, 'bind 127.0.0.1', `dir ${join(dir, String(port))}`, ...lines];
    writeFileSync(config, `${all.join('\n')}\n`);
    writeFileSync(logFile, '');
    const supervised = new SupervisedProcess({
      name: `redis ${port}`,
      command: 'redis-server',
      args: [config, ...flags],
      logFile,
      pidFile: join(dir, `${port}.pid`),
    });
    started.use(supervised);
    await supervised.start();
    const server = { port, process: supervised, authority: authority && readFileSync(authority, 'utf8') };
    const answers = () =>
      ask(server, 'PING').then(
        () => true,
        () => false,
      );
    await waitUntilUp(supervised, answers, logFile);
    return server;
  };
  return { start, authority };
}

function tlsLines(port: number, dir: string): string[] {
  return [
    'port 0',
    `tls-port ${port}`,
    `tls-cert-file ${join(dir, 'server.pem')}`,
    `tls-key-file ${join(dir, 'server.key')}`,
    `tls-ca-cert-file ${join(dir, 'authority.pem')}`,
    'tls-auth-clients no',
    'tls-replication yes',
    'tls-cluster yes',
  ];
}

function dataLines(port: number): string[] {
  return [
    `requirepass ${PASSWORD}`,
    `masterauth ${PASSWORD}`,
    'replica-announce-ip localhost',
    `replica-announce-port ${port}`,
    'appendonly yes',
    'appendfsync everysec',
    'save ""',
    'maxmemory-policy noeviction',
    'repl-diskless-sync-delay 0',
  ];
}

function clusterLines(port: number, bus: number): string[] {
  return [
    ...dataLines(port),
    'cluster-enabled yes',
    'cluster-announce-hostname localhost',
    'cluster-preferred-endpoint-type hostname',
    `cluster-port ${bus}`,
    `cluster-node-timeout ${DOWN_AFTER_MS}`,
  ];
}

function sentinelLines(port: number, primary: number): string[] {
  return [
    `requirepass ${PASSWORD}`,
    'sentinel resolve-hostnames yes',
    'sentinel announce-hostnames yes',
    'sentinel announce-ip localhost',
    `sentinel announce-port ${port}`,
    `sentinel monitor ${MASTER} localhost ${primary} 2`,
    `sentinel auth-pass ${MASTER} ${PASSWORD}`,
    `sentinel sentinel-pass ${PASSWORD}`,
    `sentinel down-after-milliseconds ${MASTER} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${MASTER} 10000`,
  ];
}

async function keysOf(servers: GroupServer[], pattern: string): Promise<string[]> {
  const live = servers.filter(({ process }) => process.pid !== undefined);
  const found = await Promise.all(live.map((server) => ask<string[]>(server, 'KEYS', pattern)));
  return [...new Set(found.flat())];
}

async function ask<Answer>(
  { port, authority }: Omit<GroupServer, 'process'>,
  ...[name = '', ...values]: string[]
): Promise<Answer> {
  const redis = new Redis({
    port,
    host: 'localhost',
    password: PASSWORD,
    ...(authority && { tls: { ca: authority } }),
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  redis.on('error', () => {}); // connect() rejects with it
  try {
    await redis.connect();
    return (await redis.call(name, ...values)) as Answer;
  } finally {
    redis.disconnect();
  }
}
