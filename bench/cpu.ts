import { readFileSync, readdirSync } from 'node:fs';

/** CPU seconds that each part has used, by name. */
export type CpuTimes = Map<string, number>;

/** The parts of a run, each with its processes. A part that ends `/*` stands for a process and all its children. */
export type Parts = Record<string, number[]>;

/** CPU use of one process between two readings. */
export interface CpuUse {
  part: string;
  seconds: number;
  /** Of one core. */
  share: number;
  microsPerItem: number;
}

const TICKS_PER_SECOND = 100; // USER_HZ, 100 on every Linux that Node runs on

/** Reads /proc, so Linux only. Children that have ended count with their parent. */
export function readCpu(parts: Parts): CpuTimes {
  return new Map(
    Object.entries(parts).map(([part, pids]) => [
      part,
      sum(pids.map((pid) => secondsOf(pid, part.endsWith('/*')))),
    ]),
  );
}

/** The use of each part from one reading to another, most first. */
export function cpuUse(before: CpuTimes, after: CpuTimes, elapsedSeconds: number, items: number): CpuUse[] {
  const uses = [...after].map(([part, total]) => {
    const seconds = total - (before.get(part) ?? 0);
    return { part, seconds, share: seconds / elapsedSeconds, microsPerItem: (seconds * 1e6) / items };
  });
  return uses.toSorted((a, b) => b.seconds - a.seconds);
}

/** CPU seconds that the whole machine has spent. */
export function machineCpu(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0] = readFileSync('/proc/stat', 'utf8')
    .slice(5, 200)
    .trim()
    .split(/\s+/)
    .map(Number);
  return (user + nice + system + irq + softIrq) / TICKS_PER_SECOND;
}

/** The memory that a process holds. */
export function rssMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

function secondsOf(pid: number, withChildren: boolean): number {
  const { own, ended } = ticksOf(pid);
  if (!withChildren) return own / TICKS_PER_SECOND;
  return (own + ended + sum(childrenOf(pid).map((child) => ticksOf(child).own))) / TICKS_PER_SECOND;
}

function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((pid) => Number(statOf(pid)[1]) === parent);
}

function ticksOf(pid: number): { own: number; ended: number } {
  const fields = statOf(pid).map(Number);
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
  return { own: user + system, ended: endedUser + endedSystem };
}

/** The fields of /proc/<pid>/stat from `state` on; none for an ended process. */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
