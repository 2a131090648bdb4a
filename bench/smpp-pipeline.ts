import { addBreakdowns, microsOf, sumMicros } from './breakdown.ts';
import { SMS, openSide } from './pipeline.ts';
import type { Turn } from './pipeline-run.ts';
import { type Result, type RunOptions, atMost, seconds } from './report.ts';
import { startSideProcess } from './side-process.ts';
import { SMS_SIDES, type SmsSide, serveBy } from './smpp-sides.ts';

const CONNECTIONS = 256;
const ROUNDS = 3;
const TARGET = 1.25;

/**
 * Compares all CPU of a message, from its call to the webhook call that reports its delivery, through one SMPP bind
 * with that through the simulator, alternating. The load and the SMSC do not count.
 */
export async function benchSmppPipeline(options: RunOptions): Promise<Result[]> {
  await using smsc = await startSideProcess('smsc-process.ts');
  await smsc.ask('report');
  const { profile, logLevel } = options;
  await using opened = await openSide(SMS, { queue: 'redis', profile, logLevel });
  const turns: Record<SmsSide, Turn[]> = { simulator: [], smpp: [] };
  for (let round = -1; round < ROUNDS; round += 1)
    for (const side of SMS_SIDES) {
      await serveBy(side, opened.stage, smsc);
      const turn = await opened.run.steady(CONNECTIONS, seconds(options, 10));
      if (round >= 0) turns[side].push(turn);
    }
  const simulator = resultOf('the simulator', turns.simulator);
  const smpp = resultOf('one SMPP bind', turns.smpp);
  const ratio = smpp.numbers['productMicros']! / simulator.numbers['productMicros']!;
  smpp.numbers['ofTheSimulator'] = ratio;
  smpp.targets = [atMost(TARGET, ratio, "smpp: CPU of a message, of that through the simulator's")];
  return [simulator, smpp];
}

function resultOf(name: string, turns: readonly Turn[]): Result {
  const cpu = addBreakdowns(turns.map((turn) => turn.cpu));
  const received = turns.reduce((sum, turn) => sum + turn.received, 0);
  const elapsed = turns.reduce((sum, turn) => sum + turn.seconds, 0);
  const productMicros = sumMicros(cpu) - microsOf(cpu, 'traffic') - microsOf(cpu, 'bench');
  return {
    name: `smpp, the pipeline with ${name}`,
    numbers: { receivedPerSecond: received / elapsed, productMicros },
    cpu,
  };
}
