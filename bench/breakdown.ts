import type pg from 'pg';
import { type CpuUse, type Parts, cpuUse, machineCpu, readCpu } from './cpu.ts';
import { type PostgresWork, addWork, readPostgres, workBetween } from './postgres-work.ts';

/** CPU use by process, and within Postgres by client, with what Postgres did. */
export interface Breakdown {
  /** Messages, calls or rows: the unit of `microsPerItem`. */
  items: number;
  elapsedSeconds: number;
  parts: CpuUse[];
  /** Parts of `postgres/*`, by the application of their connection. Connections closed meanwhile are missing. */
  backends: CpuUse[];
  /** CPU use of other programs, in cores. A high value makes the run unreliable. */
  othersCores: number;
  /** Transactions of Postgres per item, those of a queue on Postgres included. */
  transactionsPerItem: number;
  work: PostgresWork;
  /** Jobs added to all queues per item. */
  jobsPerItem: number;
  /** CPU microseconds of the no-op route per request in the same run: one NU. */
  nuMicros?: number;
}

/** Counts the jobs that were ever added to the queues. */
export type CountJobs = () => Promise<number>;

/** Starts to count CPU. The returned function stops and returns the use of each process for `items` of work. */
export async function countCpu(
  db: pg.Client,
  parts: Parts,
  countJobs: CountJobs,
): Promise<(items: number) => Promise<Breakdown>> {
  const before = await read(db, parts, countJobs);
  return async (items) => {
    const after = await read(db, parts, countJobs);
    const seconds = (after.at - before.at) / 1000;
    const ours = cpuUse(before.parts, after.parts, seconds, items);
    const used = sum(ours.map((part) => part.seconds));
    const work = workBetween(before.postgres, after.postgres);
    return {
      items,
      elapsedSeconds: seconds,
      parts: ours,
      backends: addUp(cpuUse(before.backends, after.backends, seconds, items)),
      othersCores: Math.max(0, after.machine - before.machine - used) / seconds,
      transactionsPerItem: work.transactions / items,
      work,
      jobsPerItem: (after.jobs - before.jobs + work.jobs) / items,
    };
  };
}

/** Adds up runs of the same kind. */
export function addBreakdowns(all: readonly Breakdown[]): Breakdown {
  const items = sum(all.map((one) => one.items));
  const elapsedSeconds = sum(all.map((one) => one.elapsedSeconds));
  const work = addWork(all.map((one) => one.work));
  const uses = (field: 'parts' | 'backends'): CpuUse[] => {
    const byPart = Map.groupBy(
      all.flatMap((one) => one[field]),
      ({ part }) => part,
    );
    return [...byPart]
      .map(([part, some]) => useOf(part, sum(some.map((use) => use.seconds)), elapsedSeconds, items))
      .toSorted((a, b) => b.seconds - a.seconds);
  };
  return {
    items,
    elapsedSeconds,
    parts: uses('parts'),
    backends: uses('backends'),
    othersCores: sum(all.map((one) => one.othersCores * one.elapsedSeconds)) / elapsedSeconds,
    transactionsPerItem: work.transactions / items,
    work,
    jobsPerItem: sum(all.map((one) => one.jobsPerItem * one.items)) / items,
  };
}

/** CPU microseconds of all parts per item. */
export function sumMicros({ parts }: Breakdown): number {
  return sum(parts.map((part) => part.microsPerItem));
}

/** CPU microseconds of one part per item; 0 for a part that the run does not have. */
export function microsOf({ parts }: Breakdown, name: string): number {
  return parts.find(({ part }) => part === name)?.microsPerItem ?? 0;
}

function useOf(part: string, seconds: number, elapsedSeconds: number, items: number): CpuUse {
  return { part, seconds, share: seconds / elapsedSeconds, microsPerItem: (seconds * 1e6) / items };
}

async function read(db: pg.Client, parts: Parts, countJobs: CountJobs) {
  const postgres = await readPostgres(db);
  const jobs = await countJobs();
  const pids = await listBackends(db);
  const backends = readCpu(pids);
  return { at: performance.now(), parts: readCpu(parts), backends, machine: machineCpu(), postgres, jobs };
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
  const uses = [...groups].map(([part, all]) => all.reduce((total, use) => add(part, total, use)));
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

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
