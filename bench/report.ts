import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Circumstances } from './machine.ts';
import { type Breakdown, sumMicros } from './breakdown.ts';
import type { CpuUse } from './cpu.ts';
import type { QueueKind } from './stage.ts';

/** Options of the command line. */
export interface RunOptions {
  queues: QueueKind[];
  profile: boolean;
  /** Factor of all durations; 1 by default. */
  timeScale: number;
  /** LOG_LEVEL of the apps; `warn` by default. */
  logLevel: string;
  /** Another checkout, built, that alternates with this one. */
  against: string | undefined;
  /** A checkout, built, whose no-op route is the unit; this one by default. */
  unit: string | undefined;
  /** Connections of the closed loop. */
  connections: number[];
}

/** Measurements of one run. */
export interface Result {
  name: string;
  numbers: Record<string, number>;
  cpu?: Breakdown;
  targets?: Target[];
}

/** A target and its measurement. */
export interface Target {
  what: string;
  wanted: number;
  measured: number;
  isMet: boolean;
}

export function atLeast(wanted: number, measured: number, what: string): Target {
  return { what, wanted, measured, isMet: measured >= wanted };
}

export function atMost(wanted: number, measured: number, what: string): Target {
  return { what, wanted, measured, isMet: measured <= wanted };
}

export function below(wanted: number, measured: number, what: string): Target {
  return { what, wanted, measured, isMet: measured < wanted };
}

/** A duration of this run, in seconds. */
export function seconds({ timeScale }: RunOptions, normal: number): number {
  return Math.max(1, Math.round(normal * timeScale));
}

export function printResult({ name, numbers, cpu }: Result): void {
  console.log(`\n${name}`);
  for (const [label, value] of Object.entries(numbers))
    console.log(`  ${label.padEnd(22)}${rounded(value).padStart(12)}`);
  if (cpu) printCpu(cpu);
}

export function printTargets(results: Result[]): void {
  const targets = results.flatMap((result) => result.targets ?? []);
  if (targets.length > 0) console.log('\nTargets');
  for (const { what, wanted, measured, isMet } of targets) {
    console.log(
      `  ${isMet ? 'met   ' : 'missed'}  ${what.padEnd(56)} wanted ${rounded(wanted).padStart(8)}  measured ${rounded(measured).padStart(8)}`,
    );
  }
}

/** Writes the results to `results/<date>-<name or commit>.json`; @returns the path */
export function keepResults(about: Circumstances, results: Result[], name = about.commit): string {
  const folder = join(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${about.date.slice(0, 10)}-${name}.json`);
  writeFileSync(path, `${JSON.stringify({ ...about, results }, toThreeDigits, 2)}\n`);
  return path;
}

function toThreeDigits(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 1000) / 1000 : value;
}

const SHOWN_STATEMENTS = 12;
/** Statements of less than this many microseconds per item are left out. */
const LEAST_MICROS = 0.2;

function printCpu(cpu: Breakdown): void {
  const { parts, backends, othersCores, transactionsPerItem, jobsPerItem, nuMicros } = cpu;
  const all = parts.reduce((sum, { seconds: used }) => sum + used, 0);
  const head = ['CPU'.padEnd(24), 'seconds'.padStart(10), 'of a core'.padStart(11), 'of all'.padStart(9)];
  console.log(`  ${head.join('')}${'µs each'.padStart(10)}${nuMicros === undefined ? '' : 'NU'.padStart(8)}`);
  const print = (name: string, { seconds: used, share, microsPerItem }: Omit<CpuUse, 'part'>): void =>
    console.log(
      `  ${name.padEnd(24)}${used.toFixed(2).padStart(10)}${percent(share).padStart(11)}${percent(used / all).padStart(9)}${microsPerItem.toFixed(1).padStart(10)}${nuMicros === undefined ? '' : (microsPerItem / nuMicros).toFixed(2).padStart(8)}`,
    );
  for (const part of parts) {
    print(part.part, part);
    if (part.part === 'postgres/*')
      backends
        .filter((backend) => backend.seconds >= 0.05)
        .forEach((backend) => print(`  for ${backend.part}`, backend));
  }
  print('all', { seconds: all, share: all / cpu.elapsedSeconds, microsPerItem: sumMicros(cpu) });
  console.log(
    `  other programs took ${othersCores.toFixed(2)} cores; ${transactionsPerItem.toFixed(3)} transactions and ${jobsPerItem.toFixed(3)} jobs each`,
  );
  printWork(cpu);
}

function printWork({ work, items }: Breakdown): void {
  const { walBytes, updates, hotUpdates, statements } = work;
  console.log(
    `  ${(walBytes / items).toFixed(0)} bytes of WAL each; ${percent(hotUpdates / Math.max(1, updates))} of ${(updates / items).toFixed(2)} updates each HOT`,
  );
  const shown = statements
    .filter(({ execMs }) => (execMs * 1000) / items >= LEAST_MICROS)
    .slice(0, SHOWN_STATEMENTS);
  for (const { name, calls, rows, execMs } of shown)
    console.log(
      `    ${name.padEnd(60)}${((execMs * 1000) / items).toFixed(1).padStart(9)} µs each${(calls / items).toFixed(4).padStart(9)} calls each${(rows / calls).toFixed(1).padStart(9)} rows a call`,
    );
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

function rounded(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2);
}
