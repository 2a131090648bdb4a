import { parseArgs } from 'node:util';
import { benchAccept, benchAcceptTemplate } from './accept.ts';
import { benchBulk } from './bulk.ts';
import { benchEncoding } from './encoding.ts';
import { benchIsolation } from './isolation.ts';
import { circumstances } from './machine.ts';
import { benchHistory } from './history.ts';
import { benchLists } from './lists.ts';
import { benchBatchedPipeline, benchChatPipeline, benchPipeline } from './pipeline.ts';
import { benchPush } from './push.ts';
import { type Result, type RunOptions, keepResults, printResult, printTargets } from './report.ts';
import { benchSoak } from './soak.ts';
import { closeStages } from './stage.ts';
import { benchSmpp } from './smpp.ts';
import { benchVerify } from './verify.ts';

const BENCHES: Record<string, (options: RunOptions) => Promise<Result[]>> = {
  accept: benchAccept,
  'accept-template': benchAcceptTemplate,
  pipeline: benchPipeline,
  'pipeline-batched': benchBatchedPipeline,
  'pipeline-chat': benchChatPipeline,
  bulk: benchBulk,
  push: benchPush,
  isolation: benchIsolation,
  lists: benchLists,
  smpp: benchSmpp,
  verify: benchVerify,
  encoding: benchEncoding,
  history: benchHistory,
  soak: benchSoak,
};

const USAGE = `Usage: npm run bench -- [${Object.keys(BENCHES).join('] [')}] [--queue redis|postgres] [--scale 0.5] [--profile] [--connections 64,256] [--log-level info] [--against ../other-checkout] [--unit ../other-checkout] [--save name]`;

/** Benches that run only by name: each takes longer than all others together. */
const LONG = new Set(['history', 'soak']);

let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);
await main();

async function main(): Promise<void> {
  const { names, options, save } = readArguments();
  const about = circumstances();
  const results: Result[] = [];
  for (const name of names) {
    console.log(`\n${name}…`);
    const measured = await run(name, options);
    measured.forEach(printResult);
    results.push(...measured);
  }
  if (isInterrupted || results.length === 0) return;
  printTargets(results);
  console.log(`\n${JSON.stringify(about)}`);
  console.log(`Kept in ${keepResults(about, results, save)}`);
}

/** Handles Ctrl-C, which arrives twice: from the terminal and from bootstrap.mjs. */
function interrupt(): void {
  if (isInterrupted) return;
  isInterrupted = true;
  void closeStages().finally(() => process.exit(130));
}

/** Runs a bench. A failure does not stop the others. */
async function run(name: string, options: RunOptions): Promise<Result[]> {
  try {
    return (await BENCHES[name]?.(options)) ?? [];
  } catch (error) {
    if (!isInterrupted) console.error(`${name} failed:`, error);
    process.exitCode = 1;
    return [];
  }
}

function readArguments(): { names: string[]; options: RunOptions; save: string | undefined } {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      queue: { type: 'string' },
      scale: { type: 'string' },
      profile: { type: 'boolean' },
      save: { type: 'string' },
      connections: { type: 'string', default: '64,256' },
      'log-level': { type: 'string', default: 'warn' },
      against: { type: 'string' },
      unit: { type: 'string' },
    },
  });
  const { queue, profile = false, save, against, unit } = values;
  const connections = values.connections.split(',').map(Number);
  const timeScale = Number(values.scale ?? 1);
  const isKnown =
    positionals.every((name) => Object.hasOwn(BENCHES, name)) &&
    (queue ?? 'redis') in { redis: 1, postgres: 1 } &&
    connections.every((count) => Number.isInteger(count) && count > 0) &&
    timeScale > 0;
  if (!isKnown) {
    console.error(USAGE);
    process.exit(1);
  }
  const queues: RunOptions['queues'] =
    queue === 'redis' || queue === 'postgres' ? [queue] : ['redis', 'postgres'];
  return {
    names: positionals.length > 0 ? positionals : Object.keys(BENCHES).filter((name) => !LONG.has(name)),
    options: { queues, profile, timeScale, connections, against, unit, logLevel: values['log-level'] },
    save,
  };
}
