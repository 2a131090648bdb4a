import { findSpaceProblem } from './config-problem.ts';
import { findPostgresQueueProblem } from './database-url.ts';

/** A server of Redis. */
export interface RedisNode {
  host: string;
  port: number;
}

/** The Redis that a QUEUE_URL names. */
export type RedisAddress =
  | {
      kind: 'single';
      server: RedisNode;
      database: number;
      login: Login;
      hasTls: boolean;
      /** Options of ioredis, as `family`. */
      parameters: Record<string, string>;
    }
  | {
      kind: 'sentinel';
      sentinels: RedisNode[];
      /** Name under which the sentinels watch the primary. */
      master: string;
      database: number;
      login: Login;
      sentinelLogin: Login;
      hasTls: boolean;
    }
  | { kind: 'cluster'; nodes: RedisNode[]; login: Login; hasTls: boolean };

/** Each member is absent when the server asks for none. */
export interface Login {
  username?: string;
  password?: string;
}

const SENTINEL_PORT = 26_379;
const REDIS_PORT = 6_379;

const FORMS =
  'redis://host:6379, redis+sentinel://host:26379,host:26379/?master=name, redis+cluster://host:6379,host:6379 or postgres://user:password@host:5432/name';

/** Several hosts are no URL of the standard: user info, hosts, path and query are separated here. */
const GROUP =
  /^(?<scheme>rediss?)\+(?<kind>sentinel|cluster):\/\/(?:(?<login>[^@/?]*)@)?(?<hosts>[^@/?]*)(?:\/(?<path>[^?]*))?(?:\?(?<query>.*))?$/;

const HOST = /^(?<host>[\w.-]+|\[[0-9a-f:.]+\])(?::(?<port>\d{1,5}))?$/i;

/** Parses a QUEUE_URL of Redis. @throws Error that says what is wrong with the address, without a secret of it */
export function parseRedisAddress(url: string): RedisAddress {
  if (/^rediss?:\/\/[^,]+$/.test(url) && URL.canParse(url)) return singleOf(new URL(url));
  const { scheme, kind, login = '', hosts = '', path = '', query = '' } = GROUP.exec(url)?.groups ?? {};
  if (kind === undefined) throw new Error(`QUEUE_URL must be ${FORMS}`);
  const shared = { login: loginOf(login), hasTls: scheme === 'rediss' };
  return kind === 'sentinel'
    ? sentinelOf(hosts, path, query, shared)
    : clusterOf(hosts, path + query, shared);
}

function singleOf({
  protocol,
  username,
  password,
  hostname,
  port,
  pathname,
  searchParams,
}: URL): RedisAddress {
  const path = pathname.replace(/^\//, '');
  if (!/^\d*$/.test(path))
    throw new Error('QUEUE_URL must have the number of a database after its host, as /0');
  return {
    kind: 'single',
    server: { host: hostname.replaceAll(/[[\]]/g, '') || 'localhost', port: Number(port || REDIS_PORT) },
    database: Number(path),
    login: loginOf(`${username}:${password}`),
    hasTls: protocol === 'rediss:',
    parameters: Object.fromEntries(searchParams),
  };
}

interface Shared {
  login: Login;
  hasTls: boolean;
}

function sentinelOf(hosts: string, path: string, query: string, shared: Shared): RedisAddress {
  const { master, sentinelUsername, sentinelPassword, ...others } = Object.fromEntries(
    new URLSearchParams(query),
  );
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new Error(
      `QUEUE_URL has the parameter ${unknown}; Sentinel takes master, sentinelUsername and sentinelPassword`,
    );
  if (!master)
    throw new Error(
      'QUEUE_URL names no primary: end it with ?master= and the name that the sentinels watch, as mymaster',
    );
  if (!/^\d*$/.test(path))
    throw new Error('QUEUE_URL must have the number of a database after its hosts, as /0');
  return {
    kind: 'sentinel',
    sentinels: nodesOf(hosts, SENTINEL_PORT),
    master,
    database: Number(path),
    sentinelLogin: present(sentinelUsername, sentinelPassword),
    ...shared,
  };
}

function clusterOf(hosts: string, rest: string, shared: Shared): RedisAddress {
  if (rest !== '' && rest !== '0')
    throw new Error(
      'QUEUE_URL must end after the hosts of the cluster, which has one database and no parameters',
    );
  return { kind: 'cluster', nodes: nodesOf(hosts, REDIS_PORT), ...shared };
}

function nodesOf(hosts: string, defaultPort: number): RedisNode[] {
  return hosts.split(',').map((text, i) => {
    const { host, port } = HOST.exec(text)?.groups ?? {};
    const number = Number(port ?? defaultPort);
    if (host === undefined || number < 1 || number > 65_535)
      throw new Error(
        `QUEUE_URL must name host:port, comma-separated; number ${i + 1} of its hosts is malformed`,
      );
    return { host: host.replaceAll(/[[\]]/g, ''), port: number };
  });
}

function loginOf(text: string): Login {
  const [username = '', ...password] = text.split(':');
  try {
    return present(decodeURIComponent(username), decodeURIComponent(password.join(':')));
  } catch {
    throw new Error('QUEUE_URL has a user or password that cannot be read: write % as %25');
  }
}

function present(username = '', password = ''): Login {
  return { ...(username !== '' && { username }), ...(password !== '' && { password }) };
}

/**
 * Says what is wrong with a QUEUE_URL, without a secret of it; undefined for one that can be used: of Redis, Redis Sentinel, a
 * Redis Cluster or Postgres.
 */
export function findQueueUrlProblem(value: unknown): string | undefined {
  const url = String(value);
  const spaces = findSpaceProblem('QUEUE_URL', value);
  if (spaces !== undefined) return spaces;
  if (/^postgres(ql)?:\/\//.test(url)) return findPostgresQueueProblem(url);
  try {
    parseRedisAddress(url);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
