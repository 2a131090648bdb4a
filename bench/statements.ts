import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '@signalbox/tools/servers/ports';
import { startPostgres } from '@signalbox/tools/servers/postgres';
import { removePostgresData } from '@signalbox/tools/servers/postgres-home';
import pg from 'pg';
import { type SideProcess, startSideProcess } from './side-process.ts';

/*
 * The cost of the statements of an SMS's life, per message: CPU of the Postgres backend, WAL, heap writes and index
 * entries as counted in the WAL. `--against <checkout>` runs those of another built checkout too, alternating.
 */

const { values } = parseArgs({
  options: {
    against: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    batches: { type: 'string', default: '50' },
    size: { type: 'string', default: '200' },
  },
});
const [rounds, batches, size] = [Number(values.rounds), Number(values.batches), Number(values.size)];

interface Side {
  name: string;
  process: SideProcess;
  pid: number;
  costs: Costs[];
  rescueMicros: number[];
  /** CPU of the backend in each run of each statement, in µs. */
  cpu: Record<string, number[]>;
  /** The share of each table's updates that changed no index. */
  hot: Record<string, number>;
}

interface Costs {
  cpuMicros: number;
  walBytes: number;
  heapWrites: number;
  indexEntries: number;
  hotRatio: number;
}

const dir = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
chmodSync(dir, 0o711);
try {
  await using postgres = await startPostgres({
    dir,
    port: await freePort(),
    settings: { shared_buffers: '1GB', checkpoint_timeout: '1h', max_wal_size: '16GB' },
  });
  await compare(postgres.url);
} finally {
  removePostgresData(dir);
  rmSync(dir, { recursive: true, force: true });
}

async function compare(url: string): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const admin = new pg.Client(url);
  await admin.connect();
  opened.defer(() => admin.end());
  await admin.query('CREATE EXTENSION pg_walinspect');
  const sides: Side[] = [];
  for (const [name, root] of Object.entries({
    before: values.against,
    after: join(import.meta.dirname, '..'),
  })) {
    if (root === undefined) continue;
    await admin.query(`CREATE DATABASE ${name}`);
    const side = opened.use(await startSideProcess('statements-process.ts', { BENCH_ROOT: resolve(root) }));
    opened.defer(() => side.ask('close'));
    const pid = await side.ask<number>('open', { url: url.replace(/[^/]+$/, name) });
    sides.push({ name, process: side, pid, costs: [], rescueMicros: [], cpu: {}, hot: {} });
  }
  for (const side of sides) {
    await side.process.ask('live', { batches: 20, size });
    await side.process.ask('analyze');
    await side.process.ask('cpu');
  }
  for (let round = 0; round < rounds; round += 1)
    for (const side of sides) {
      side.costs.push(await measure(admin, side));
      await side.process.ask('expire');
      side.rescueMicros.push(await cpuOf(side, () => side.process.ask('rescue')));
    }
  for (const side of sides) {
    side.cpu = await side.process.ask('cpu');
    side.hot = await side.process.ask('hot');
  }
  sides.forEach(print);
  const [before, after] = sides;
  if (before && after)
    console.log(
      `\nCPU after / before, round by round: ${before.costs.map((cost, i) => (after.costs[i]!.cpuMicros / cost.cpuMicros).toFixed(2)).join(' ')}`,
    );
}

/** CPU of the side's backend for some work, in µs a message. */
async function cpuOf({ pid }: Side, work: () => Promise<unknown>): Promise<number> {
  const micros = (): number => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e3;
  const start = micros();
  await work();
  return (micros() - start) / (batches * size);
}

async function measure(admin: pg.Client, side: Side): Promise<Costs> {
  const start = await position(admin);
  const cpuMicros = await cpuOf(side, () => side.process.ask('live', { batches, size }));
  const end = await position(admin);
  const { rows } = await admin.query<{ type: string; count: number; bytes: number }>(
    `SELECT "resource_manager/record_type" AS type, count::float8, combined_size::float8 AS bytes
       FROM pg_get_wal_stats($1, $2, true)`,
    [start, end],
  );
  const count = (pattern: RegExp): number =>
    rows.reduce((sum, row) => sum + (pattern.test(row.type) ? row.count : 0), 0);
  const messages = batches * size;
  const hot = count(/^Heap\/HOT_UPDATE/);
  return {
    cpuMicros,
    walBytes: rows.reduce((sum, row) => sum + row.bytes, 0) / messages,
    heapWrites: count(/^Heap\/(INSERT|UPDATE|HOT_UPDATE|DELETE)|^Heap2\/MULTI_INSERT/) / messages,
    indexEntries: count(/^Btree\/(INSERT|SPLIT)/) / messages,
    hotRatio: hot / (hot + count(/^Heap\/UPDATE/)),
  };
}

async function position(admin: pg.Client): Promise<string> {
  await admin.query('SELECT pg_current_xact_id()'); // a commit that waits for the log, which is then complete
  const { rows } = await admin.query<{ at: string }>('SELECT pg_current_wal_flush_lsn() AS at');
  return rows[0]!.at;
}

function print({ name, costs, rescueMicros, cpu, hot }: Side): void {
  console.log(`\n${name}, medians of ${rounds} rounds of ${batches} x ${size} messages, per message`);
  for (const key of Object.keys(costs[0]!) as (keyof Costs)[])
    console.log(
      `  ${key.padEnd(14)}${median(costs.map((cost) => cost[key]))
        .toFixed(2)
        .padStart(10)}`,
    );
  console.log(`  ${'rescueMicros'.padEnd(14)}${median(rescueMicros).toFixed(2).padStart(10)}`);
  for (const [statement, micros] of Object.entries(cpu))
    console.log(`  ${statement.padEnd(20)}${(median(micros) / size).toFixed(1).padStart(10)} µs`);
  for (const [table, share] of Object.entries(hot))
    console.log(`  HOT, ${table.padEnd(15)}${share.toFixed(2).padStart(10)}`);
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}
