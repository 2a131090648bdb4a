import type pg from 'pg';
import { type CpuUse, type Parts, cpuUse, machineCpu, readCpu } from './cpu.ts';

/** CPU use by process, and within Postgres by client. */
export interface Breakdown {
  parts: CpuUse[];
  /** Parts of `postgres/*`, by the application of their connection. Connections closed meanwhile are missing. */
  backends: CpuUse[];
  /** CPU use of other programs, in cores. A high value makes the run unreliable. */
  othersCores: number;
  /** Transactions of Postgres per item, those of a queue on Postgres included. */
  transactionsPerItem: number;
}

/** Starts to count CPU. The returned function stops and returns the use of each process for `items` of work. */
export async function countCpu(db: pg.Client, parts: Parts): Promise<(items: number) => Promise<Breakdown>> {
  const before = await read(db, parts);
  return async (items) => {
    const after = await read(db, parts);
    const seconds = (after.at - before.at) / 1000;
    const ours = cpuUse(before.parts, after.parts, seconds, items);
    const used = ours.reduce((sum, part) => sum + part.seconds, 0);
    return {
      parts: ours,
      backends: addUp(cpuUse(before.backends, after.backends, seconds, items)),
      othersCores: Math.max(0, after.machine - before.machine - used) / seconds,
      transactionsPerItem: (after.transactions - before.transactions) / items,
    };
  };
}

async function read(db: pg.Client, parts: Parts) {
  const transactions = await countTransactions(db);
  const backends = readCpu(await listBackends(db));
  return { at: performance.now(), parts: readCpu(parts), backends, machine: machineCpu(), transactions };
}

async function countTransactions(db: pg.Client): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'SELECT xact_commit::float8 AS count FROM pg_stat_database WHERE datname = current_database()',
  );
  return rows[0]?.count ?? 0;
}

/** The processes of Postgres as `<application>/<pid>`; the connections of BullMQ have no name. */
async function listBackends(db: pg.Client): Promise<Parts> {
  const { rows } = await db.query<{ name: string; pid: number }>(
    `SELECT CASE WHEN backend_type <> 'client backend' THEN backend_type ELSE COALESCE(NULLIF(application_name, ''), 'bullmq') END AS name, pid
       FROM pg_stat_activity WHERE pid <> pg_backend_pid()`,
  );
  return Object.fromEntries(rows.map(({ name, pid }) => [`${name}/${pid}`, [pid]]));
}

function addUp(backends: CpuUse[]): CpuUse[] {
  const groups = Map.groupBy(backends, ({ part }) => part.slice(0, part.indexOf('/')));
  const uses = [...groups].map(([part, all]) => all.reduce((sum, use) => add(part, sum, use)));
  return uses
    .map((use) => ({ ...use, part: use.part.split('/')[0]! }))
    .toSorted((a, b) => b.seconds - a.seconds);
}

function add(part: string, a: CpuUse, b: CpuUse): CpuUse {
  return {
    part,
    seconds: a.seconds + b.seconds,
    share: a.share + b.share,
    microsPerItem: a.microsPerItem + b.microsPerItem,
  };
}
