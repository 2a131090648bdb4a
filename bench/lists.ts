import { type MessageFilter, listMessages } from '@signalbox/database/messages/list';
import { openDataSource } from '@signalbox/database/core/data-source';
import type { MessageStatus } from '@signalbox/domain/message-status';
import type { EntityManager } from 'typeorm';
import { request } from 'undici';
import { fillMessages } from './lists-rows.ts';
import { type Result, type RunOptions, below } from './report.ts';
import { type Stage, openStage } from './stage.ts';

const MESSAGES = 5_000_000;
const CALLS = 200;
const CONCURRENCY = 2;
const TARGET_MS = 50;

/** Values to search for, new for each call; every name is a filter of GET /v1/messages. */
type Search = () => Record<string, string>;

/**
 * `GET /v1/messages` by each filter on millions of messages, its plan, and an export. A plan that reads a whole table
 * fails the bench.
 */
export async function benchLists(options: RunOptions): Promise<Result[]> {
  await using stage = await openStage({ apps: ['api'], profile: options.profile });
  const count = Math.round(MESSAGES * options.timeScale);
  const { accountId, searches } = await fillMessages(stage.db, count);
  await refuseWholeReads(stage, accountId, searches);
  for (const search of Object.values(searches)) await timeCalls(stage, search, 20); // warm-up
  const results: Result[] = [];
  for (const [name, search] of Object.entries(searches)) {
    const times = await timeCalls(stage, search, CALLS);
    const p99Ms = quantile(times, 0.99);
    results.push({
      name: `lists of ${count} messages, ${name}`,
      numbers: { p50Ms: quantile(times, 0.5), p99Ms },
      targets: [below(TARGET_MS, p99Ms, `lists: p99 by ${name}, ms`)],
    });
  }
  return [...results, await exportAll(stage)];
}

/** Prints the plan of each search. */
async function refuseWholeReads(
  { stack }: Stage,
  accountId: string,
  searches: Record<string, Search>,
): Promise<void> {
  const source = await openDataSource({
    url: stack.databaseUrl,
    applicationName: 'bench',
    poolSize: 1,
    commit: 'durable',
    plans: 'fresh',
  });
  try {
    for (const [name, search] of Object.entries(searches)) {
      const lines: string[] = [];
      const explain = async (text: string, values: unknown[]): Promise<unknown[]> => {
        const plan: { 'QUERY PLAN': string }[] = await source.query(`EXPLAIN (COSTS OFF) ${text}`, values);
        lines.push(...plan.map((line) => line['QUERY PLAN']));
        return [];
      };
      await listMessages({ query: explain } as unknown as EntityManager, accountId, toFilter(search()), 50);
      console.log(`\n${name}\n${lines.filter((line) => line.includes('Scan')).join('\n')}`);
      if (lines.some((line) => line.includes('Seq Scan')))
        throw new Error(`the search by ${name} reads a whole table:\n${lines.join('\n')}`);
    }
  } finally {
    await source.destroy();
  }
}

function toFilter({ campaignName, from, to, status, ...same }: Record<string, string>): MessageFilter {
  return {
    ...same,
    campaign: campaignName,
    statuses: status === undefined ? [] : [status.toUpperCase() as MessageStatus],
    from: from === undefined ? undefined : new Date(from),
    to: to === undefined ? undefined : new Date(to),
  };
}

async function timeCalls(stage: Stage, search: Search, calls: number): Promise<number[]> {
  const times: number[] = [];
  const caller = async (): Promise<void> => {
    for (let call = 0; call < calls / CONCURRENCY; call += 1) {
      const startedAt = performance.now();
      await list(stage, search());
      times.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, caller));
  return times.toSorted((a, b) => a - b);
}

async function list({ stack: { apiUrl, apiKey } }: Stage, query: Record<string, string>): Promise<void> {
  const response = await request(`${apiUrl}/v1/messages?${new URLSearchParams(query)}`, {
    headers: { apikey: apiKey },
  });
  const text = await response.body.text();
  if (response.statusCode !== 200) throw new Error(text);
}

function quantile(sorted: number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

/** The messages of one campaign as CSV. */
async function exportAll({ stack: { apiUrl, apiKey } }: Stage): Promise<Result> {
  const startedAt = performance.now();
  const response = await request(`${apiUrl}/v1/messages?campaignName=campaign+1`, {
    headers: { apikey: apiKey, accept: 'text/csv' },
  });
  let lines = -1;
  for await (const chunk of response.body) lines += String(chunk).split('\n').length - 1;
  return {
    name: 'lists, an export as CSV',
    numbers: { rows: lines, rowsPerSecond: lines / ((performance.now() - startedAt) / 1000) },
  };
}
