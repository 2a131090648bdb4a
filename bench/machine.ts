import { execFileSync } from 'node:child_process';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { findPostgresHome } from '@signalbox/tools/servers/postgres-home';

/** The machine and the commit of a run. */
export interface Circumstances {
  date: string;
  commit: string;
  cpu: string;
  cores: number;
  memoryGb: number;
  node: string;
  postgres: string;
  redis: string;
  /** Load average of the minute before the run, which shows other work of the machine. */
  loadAverage: number;
}

/** Describes the machine and the commit of a run that begins now. */
export function circumstances(): Circumstances {
  return {
    date: new Date().toISOString(),
    commit: commit(),
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    postgres:
      /[\d.]+/.exec(output(join(findPostgresHome(tmpdir()).programs, 'bin/postgres'), ['--version']))?.[0] ??
      'unknown',
    redis: /v=(\S+)/.exec(output('redis-server', ['--version']))?.[1] ?? 'none',
    loadAverage: Math.round((loadavg()[0] ?? 0) * 100) / 100,
  };
}

/** Ends in `+` when files differ from the commit. */
function commit(): string {
  const id = output('git', ['rev-parse', '--short', 'HEAD']).trim();
  return id + (output('git', ['status', '--porcelain', '--', 'apps', 'libs']).trim() === '' ? '' : '+');
}

function output(command: string, args: string[]): string {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return '';
  }
}
