import { APPS, type AppProcess } from '../../tools/servers/app-process.ts';
import { startService } from '../support/service.ts';
import { describeLost } from './lost-rows.ts';
import { type Outcome, type RunOptions, broken, brokenFlows } from './outcome.ts';
import { Traffic, endless } from './traffic.ts';

const DRAIN_SECONDS = 60;
/** Seconds after which what is still missing counts as lost. */
const PATIENCE_SECONDS = 300;
const EXIT_SECONDS = 25;

/** Restarts one process after another by SIGTERM, under a steady load over two apis. */
export async function runRestarts({ queue, sizes }: RunOptions): Promise<Outcome> {
  const { restarts = 0, rate = 0 } = sizes;
  await using service = await startService({ queue, ownPostgres: true, apps: APPS });
  const twin = await service.startTwin('api');
  await using traffic = await Traffic.start(service, endless(rate), {
    apiUrl: [service.stack.apiUrl, twin.url],
    balanced: true,
  });
  const processes = [...APPS.map((app) => service.stack.process(app)), twin];
  const exits: number[] = [];
  for (let restart = 0; restart < restarts; restart += 1) {
    exits.push(await restartOne(processes[restart % processes.length]!));
    if (exits.length % processes.length === 0) console.log(`  ${exits.length} restarts`);
  }
  await traffic.stop();
  const flows = await traffic.drain(Date.now(), PATIENCE_SECONDS);
  for (const { name, tally } of flows) await describeLost(service, name, tally.lost);
  const again = await service.listSubmittedAgain();
  const slowest = Math.max(...exits);
  return {
    flows,
    figures: {
      restarts,
      'slowest exit': `${slowest.toFixed(1)} s`,
      'submitted again': again.length,
      ...traffic.calls(),
    },
    broken: [
      ...brokenFlows(flows, DRAIN_SECONDS),
      ...broken({
        [`calls failed: ${JSON.stringify(traffic.failures())}`]: Object.keys(traffic.failures()).length > 0,
        [`a process took ${slowest.toFixed(1)} s to exit`]: slowest >= EXIT_SECONDS,
        [`${again.length} messages were submitted again`]: again.length > 0,
      }),
    ],
  };
}

/** @returns the seconds until it had exited */
async function restartOne(app: AppProcess): Promise<number> {
  const startedAt = performance.now();
  await app.stop();
  const took = (performance.now() - startedAt) / 1_000;
  await app.start();
  return took;
}
