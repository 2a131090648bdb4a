import { APPS } from '../../tools/servers/app-process.ts';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { startService } from '../support/service.ts';
import { ALL_VICTIMS, Killer } from './killer.ts';
import { describeLost } from './lost-rows.ts';
import { type Outcome, type RunOptions, brokenFlows } from './outcome.ts';
import { randomFrom } from './random.ts';
import { Traffic } from './traffic.ts';

const DRAIN_SECONDS = 60;
/** Seconds after which what is still missing counts as lost. */
const PATIENCE_SECONDS = 300;
const LONGEST_MS = 4 * 3_600_000;

/** Kills random processes, evenly spread over a number of SMS, chat messages and codes. */
export async function runKills({ queue, sizes }: RunOptions): Promise<Outcome> {
  const { sms, chat, codes, kills = 0, rate = 0, seed = 0 } = sizes;
  await using service = await startService({ queue, ownPostgres: true, apps: APPS });
  await using traffic = await Traffic.start(service, { sms, chat, codes, perSecond: rate });
  const killer = new Killer(service, randomFrom(seed));
  const victims = ALL_VICTIMS.filter((victim) => victim !== 'redis' || service.stack.redis);
  for (let kill = 1; kill <= kills; kill += 1) {
    await waitFor(() => traffic.progress() >= kill / (kills + 1), { timeoutMs: LONGEST_MS });
    if (kill % 10 === 0) console.log(`  ${kill} kills, ${(traffic.progress() * 100).toFixed(0)} % accepted`);
    await killer.killOne(victims);
  }
  await traffic.sent();
  const sentAt = Date.now();
  await killer.untilUp();
  const flows = await traffic.drain(sentAt, PATIENCE_SECONDS);
  for (const { name, tally } of flows) await describeLost(service, name, tally.lost);
  return {
    flows,
    figures: { kills: JSON.stringify(killer.kills), ...traffic.calls(), seed },
    broken: brokenFlows(flows, DRAIN_SECONDS),
  };
}
