import { test } from '@jest/globals';
import { type Load, longestGap } from '../support/load.ts';
import { testWithRedis } from '../support/redis.ts';
import { RECOVERY_MS, type Tenant } from '../support/service.ts';

/** Seconds of load before and after each fault, over what the drill itself needs; 0 by default. */
const EXTRA_MS = Number(process.env['DRILL_SECONDS'] || 0) * 1_000;

/** `test` where DRILL_SECONDS asks for long drills and there is a Redis, else `test.skip`. */
export const testDrill = process.env['DRILL_SECONDS'] ? testWithRedis : test.skip;

/** Counts of a drill. */
export interface Figures {
  /** Messages that a 2xx response named. */
  accepted: number;
  /** Accepted messages of which no push arrived. */
  lost: number;
  /** Pushes beyond the first of each message. */
  duplicates: number;
  /** Duplicates under another webhook-id than the first push of the message. */
  foreign: number;
  /** The longest time without a push, in seconds. */
  pauseSeconds: number;
  /** The slowest call, in seconds. */
  slowestSeconds: number;
  /** Calls without a 2xx, by status or failure. */
  failures: Record<string, number>;
}

/** Continues the load for the time that DRILL_SECONDS asks for, and for some messages at least. */
export async function keepLoad(load: Load, messages = 300): Promise<void> {
  await load.more(messages);
  for (const until = Date.now() + EXTRA_MS; Date.now() < until; ) await load.more(1);
}

/** Ends the load, waits for a push of each accepted message, and returns the counts. A long drill prints them. */
export async function endLoad(name: string, load: Load, tenant: Tenant): Promise<Figures> {
  const endedAt = Date.now();
  await load.stop();
  await tenant.untilPushed(load, RECOVERY_MS);
  const ids = new Map<string, Set<string>>();
  for (const { report, headers } of tenant.receiver.received) {
    const seen = ids.get(report['messageId'] ?? '') ?? new Set();
    ids.set(report['messageId'] ?? '', seen.add(String(headers['webhook-id'])));
  }
  const accepted = [...load.accepted.keys()];
  const figures: Figures = {
    accepted: accepted.length,
    lost: accepted.filter((id) => !ids.has(id)).length,
    duplicates: tenant.receiver.received.length - ids.size,
    foreign: Array.from(ids.values(), ({ size }) => size - 1).reduce((sum, more) => sum + more, 0),
    pauseSeconds:
      longestGap(tenant.receiver.received.map(({ at }) => at).filter((at) => at <= endedAt)) / 1_000,
    slowestSeconds: load.slowestMs() / 1_000,
    failures: load.failures(),
  };
  if (EXTRA_MS > 0) process.stdout.write(`${name}: ${JSON.stringify(figures)}\n`);
  return figures;
}
