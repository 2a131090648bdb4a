import { callApi } from '../test/support/call-api.ts';
import { type Breakdown, addBreakdowns } from './breakdown.ts';
import { type Result, type RunOptions, atMost } from './report.ts';
import { type SideProcess, startSideProcess } from './side-process.ts';
import { type SmsSide, SMS_SIDES, serveBy, until } from './smpp-sides.ts';
import { type Stage, openStage } from './stage.ts';

const RECIPIENTS = 10_000;
const CALLS = 2;
const MESSAGES = CALLS * RECIPIENTS;
const TURNS = 3;
const WARM_UPS = 2;
const TARGET = 1.25;
const NIL = '00000000-0000-0000-0000-000000000000';

/**
 * Compares the CPU of the sms-worker per message with one SMPP bind and with the simulator, alternating: from the
 * claim to the stored report of its delivery, which both give to each message.
 */
export async function benchSmppWorker(options: RunOptions): Promise<Result[]> {
  await using smsc = await startSideProcess('smsc-process.ts');
  await smsc.ask('report');
  await using stage = await openStage({ apps: ['api', 'sms-worker'], profile: options.profile });
  const turns: Record<SmsSide, Breakdown[]> = { simulator: [], smpp: [] };
  for (let round = -WARM_UPS; round < TURNS; round += 1)
    for (const side of SMS_SIDES) {
      await serveBy(side, stage, smsc);
      const cpu = await send(stage, smsc);
      if (round >= 0) turns[side].push(cpu);
    }
  const simulator = resultOf('the simulator', turns.simulator);
  const smpp = resultOf('one SMPP bind', turns.smpp);
  const ratio = micros(smpp) / micros(simulator);
  smpp.numbers['ofTheSimulator'] = ratio;
  smpp.targets = [atMost(TARGET, ratio, "smpp: CPU of the sms-worker per message, of the simulator's")];
  return [simulator, smpp];
}

function micros({ numbers }: Result): number {
  return numbers['workerMicrosPerMessage'] ?? Number.NaN;
}

/** The median of the turns. */
function resultOf(name: string, turns: readonly Breakdown[]): Result {
  const medianOf = (valueOf: (turn: Breakdown) => number): number =>
    turns.map(valueOf).toSorted((a, b) => a - b)[turns.length >> 1] ?? Number.NaN;
  return {
    name: `smpp, the sms-worker with ${name}`,
    numbers: {
      messagesPerSecond: medianOf(({ items, elapsedSeconds }) => items / elapsedSeconds),
      workerMicrosPerMessage: medianOf(workerMicros),
    },
    cpu: addBreakdowns(turns),
  };
}

function workerMicros({ parts }: Breakdown): number {
  return parts.find(({ part }) => part === 'sms-worker')?.microsPerItem ?? Number.NaN;
}

/** Sends and waits for the report of each message. @returns the CPU of all processes */
async function send(stage: Stage, smsc: SideProcess): Promise<Breakdown> {
  const { rows: last } = await stage.db.query<{ id: string }>(
    `SELECT id FROM message_event ORDER BY id DESC LIMIT 1`,
  );
  const endCpu = await stage.countCpu({ smsc: [smsc.pid] });
  for (let n = 0; n < CALLS; n += 1) await callApi(stage.stack, 'POST', '/v1/sms', bulkBody(n * RECIPIENTS));
  await until(async () => (await countDelivered(stage, last[0]?.id)) >= MESSAGES);
  return endCpu(MESSAGES);
}

/** Counts the reports after an event, that is, of one run: counting those of all runs would take longer with each. */
async function countDelivered({ db }: Stage, after = NIL): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM message_event WHERE status = 'DELIVERED' AND id > $1`,
    [after],
  );
  return rows[0]?.count ?? 0;
}

/** The simulator delivers to numbers that end in 1234. */
function bulkBody(from: number): object {
  const to = Array.from({ length: RECIPIENTS }, (_, i) => String(917_000_001_234 + (from + i) * 10_000));
  return { sender: 'SIGNALBX', to, text: 'Our shop opens at nine.', type: 'PROMO' };
}
