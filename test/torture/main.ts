import { parseArgs } from 'node:util';
import { hasRedis } from '../../tools/servers/redis.ts';
import { endServices } from '../support/service.ts';
import { runBatchKills } from './batch-kills.ts';
import { runKills } from './kills.ts';
import { runPostgresFaults, runRedisFaults } from './dependencies.ts';
import { runDiskFaults } from './disk.ts';
import { runEndpoints } from './endpoints.ts';
import { runHostileAccount } from './hostile-account.ts';
import { runKeys } from './keys.ts';
import { runMutants } from './mutants.ts';
import { runNetwork } from './network.ts';
import { type Outcome, type RunOptions, printOutcome } from './outcome.ts';
import { runPowerCuts } from './power-cuts.ts';
import { runRestarts } from './restarts.ts';
import { runSoak } from './soak.ts';

interface Torture {
  /** Sizes by the names of their options, as large as a long run wants them. */
  sizes: Record<string, number>;
  run: (options: RunOptions) => Promise<Outcome>;
}

/** Messages that each outage of a server meets. */
const LOAD = { sms: 40_000, chat: 4_000, codes: 1_000 };

const TORTURES: Record<string, Torture> = {
  kills: {
    sizes: { sms: 100_000, chat: 20_000, codes: 5_000, kills: 300, rate: 200, seed: 1 },
    run: runKills,
  },
  'batch-kills': { sizes: { kills: 200, open: 2_000_000, rate: 200, seed: 1 }, run: runBatchKills },
  soak: { sizes: { minutes: 240, every: 120, rate: 300, seed: 1 }, run: runSoak },
  keys: { sizes: { keys: 1_000, parallel: 50, kills: 40, seed: 1 }, run: runKeys },
  endpoints: { sizes: { endpoints: 50, seconds: 120 }, run: runEndpoints },
  'hostile-account': { sizes: { seconds: 600 }, run: runHostileAccount },
  postgres: { sizes: { ...LOAD, times: 10, seconds: 10, rate: 150 }, run: runPostgresFaults },
  disk: {
    sizes: { sms: 10_000, chat: 1_000, codes: 250, times: 3, seconds: 10, rate: 100 },
    run: runDiskFaults,
  },
  'power-cuts': { sizes: { sms: 8_000, chat: 800, codes: 200, times: 20, rate: 100 }, run: runPowerCuts },
  redis: { sizes: { ...LOAD, times: 5, seconds: 60, rate: 150 }, run: runRedisFaults },
  network: { sizes: { ...LOAD, times: 2, seconds: 10, rate: 100 }, run: runNetwork },
  mutants: { sizes: { requests: 1_000_000, seed: 1 }, run: runMutants },
  restarts: { sizes: { restarts: 100, rate: 300 }, run: runRestarts },
};

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => void endServices().finally(() => process.exit(130)));
await main();

async function main(): Promise<void> {
  const { name, torture, options } = readArguments();
  console.log(`${name}: ${JSON.stringify(options.sizes)}, ${options.queue} queue`);
  const startedAt = Date.now();
  const outcome = await torture.run(options);
  outcome.figures['took'] = `${((Date.now() - startedAt) / 1_000).toFixed(0)} s`;
  printOutcome(name, outcome);
  process.exitCode = outcome.broken.length > 0 ? 1 : 0;
}

function readArguments(): { name: string; torture: Torture; options: RunOptions } {
  const [name = '', ...rest] = process.argv.slice(2);
  const torture = Object.hasOwn(TORTURES, name) ? TORTURES[name] : undefined;
  if (!torture) fail(usage());
  const names = Object.keys(torture.sizes);
  const { values } = parseArgs({
    args: rest,
    options: Object.fromEntries([...names, 'queue'].map((option) => [option, { type: 'string' as const }])),
  });
  const given = names.filter((option) => values[option] !== undefined);
  const sizes = {
    ...torture.sizes,
    ...Object.fromEntries(given.map((each) => [each, Number(values[each])])),
  };
  const { queue = hasRedis() ? 'redis' : 'postgres' } = values;
  if ((queue !== 'redis' && queue !== 'postgres') || Object.values(sizes).some(Number.isNaN)) fail(usage());
  return { name, torture, options: { queue, sizes } };
}

function usage(): string {
  const lines = Object.entries(TORTURES).map(
    ([name, { sizes }]) =>
      `  ${name} ${Object.entries(sizes)
        .map(([option, size]) => `--${option} ${size}`)
        .join(' ')}`,
  );
  return `Usage: npm run torture -- <name> [--queue redis|postgres] [sizes; the defaults are shown]\n${lines.join('\n')}`;
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
