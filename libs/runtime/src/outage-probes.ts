import type { Probes } from './outage-log.ts';

/**
 * Joins the probes of the database and of a queue on the same Postgres server: an outage of it is one, of `database`,
 * until both answer.
 */
export function joinProbes(
  { DATABASE_URL, QUEUE_URL }: { DATABASE_URL: string; QUEUE_URL: string },
  probes: Probes,
): Probes {
  const { database, queue, ...others } = probes;
  if (!database || !queue || serverOf(DATABASE_URL) !== serverOf(QUEUE_URL)) return probes;
  // one after the other: the reason of the database says more
  return { ...others, database: () => database().then(queue) };
}

/** Returns `postgres://host:port`, or the whole address of another kind of server. */
function serverOf(url: string): string {
  const [, hosts] = /^postgres(?:ql)?:\/\/(?:[^@/]*@)?([^/?]*)/.exec(url) ?? [];
  return hosts === undefined ? url : `postgres://${hosts.replace(/^([^:,]*)$/, '$1:5432')}`;
}
