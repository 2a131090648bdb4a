import type { RedisAddress } from '@signalbox/runtime/queue-url';
import { findTlsAdvice } from '@signalbox/runtime/tls-failure';
import { type Cluster, Redis } from 'ioredis';
import { connect } from './connect.ts';
import { type Finding, counted, findingsOf } from './finding.ts';

type Sentinels = Extract<RedisAddress, { kind: 'sentinel' }>;

/** Answer of one sentinel. */
interface Opinion {
  address: string;
  /** Host and port of the primary; null when it watches none of that name. */
  primary: string | null;
  replicas: number;
  /** Reason why the sentinels could not agree on a failover; undefined when they could. */
  quorumProblem: string | undefined;
}

const TIMEOUT_MS = 3_000;

/** Checks that the sentinels answer, agree on the primary, and could replace it. */
export async function checkSentinels(address: Sentinels): Promise<Finding[]> {
  const asked = await Promise.all(
    address.sentinels.map(({ host, port }) =>
      ask(host, port, address).catch((error: Error) => ({ address: `${host}:${port}`, error })),
    ),
  );
  const silent = asked.flatMap((one) => ('error' in one ? [one] : []));
  const opinions = asked.flatMap((one) => ('error' in one ? [] : [one]));
  const primaries = new Set(opinions.map(({ primary }) => primary));
  const [first] = opinions;
  return findingsOf(
    'sentinel',
    `${counted(opinions.length, 'sentinel')} reached, ${address.master} is at ${first?.primary}.`,
    [
      ...silent.map(({ address: where, error }) => ({
        level: opinions.length === 0 ? ('problem' as const) : ('warning' as const),
        text: `The sentinel ${where} cannot be used: ${error.message}. ${findTlsAdvice(error) ?? 'Check its address, password, and that it runs.'}`,
      })),
      primaries.has(null) && {
        level: 'problem',
        text: `A sentinel watches no primary named ${address.master}. Set master in QUEUE_URL to a name that SENTINEL MASTERS lists.`,
      },
      primaries.size > 1 &&
        !primaries.has(null) && {
          level: 'warning',
          text: `The sentinels name different primaries: ${[...primaries].join(' and ')}. Wait for the end of the failover.`,
        },
      first?.quorumProblem !== undefined && {
        level: 'warning',
        text: `The sentinels cannot replace the primary: ${first.quorumProblem}. Run three or more of them.`,
      },
      first?.replicas === 0 && {
        level: 'warning',
        text: 'The primary has no replica that could replace it. Add one.',
      },
    ],
  );
}

async function ask(
  host: string,
  port: number,
  { master, sentinelLogin, hasTls }: Sentinels,
): Promise<Opinion> {
  const sentinel = new Redis({
    host,
    port,
    ...sentinelLogin,
    ...(hasTls && { tls: {} }),
    lazyConnect: true,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  try {
    await connect(sentinel);
    const primary = (await sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', master)) as string[] | null;
    const opinion = { address: `${host}:${port}`, primary: primary?.join(':') ?? null };
    if (!primary) return { ...opinion, replicas: 0, quorumProblem: undefined };
    const replicas = (await sentinel.call('SENTINEL', 'REPLICAS', master)) as unknown[];
    const quorumProblem = await sentinel.call('SENTINEL', 'CKQUORUM', master).then(
      () => undefined,
      (error: Error) => error.message,
    );
    return { ...opinion, replicas: replicas.length, quorumProblem };
  } finally {
    sentinel.disconnect();
  }
}

/** Checks that a Cluster serves all slots, and that each primary has a replica. */
export async function checkCluster(redis: Cluster): Promise<Finding[]> {
  const state = /^cluster_state:(\w+)/m.exec(await redis.cluster('INFO'))?.[1];
  const primaries = redis.nodes('master');
  const roles = await Promise.all(
    primaries.map(async (node) => (await node.role()) as unknown as [string, number, unknown[]]),
  );
  const alone = roles.filter(([, , replicas]) => replicas.length === 0).length;
  return findingsOf('cluster', `The cluster has ${primaries.length} primaries, each with a replica.`, [
    state !== 'ok' && {
      level: 'problem',
      text: `The state of the cluster is ${state}: some slots have no primary. Run redis-cli --cluster check.`,
    },
    alone > 0 && {
      level: 'warning',
      text: `${alone} of ${primaries.length} primaries have no replica that could replace them. Add replicas.`,
    },
  ]);
}
