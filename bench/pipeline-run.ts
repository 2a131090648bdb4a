import { setTimeout as sleep } from 'node:timers/promises';
import { type Breakdown, addBreakdowns, sumMicros } from './breakdown.ts';
import type { Load, LoadResult } from './generator.ts';
import type { Receipts } from './receiver.ts';
import type { Result } from './report.ts';
import type { SideProcess } from './side-process.ts';
import type { Stage } from './stage.ts';

/** Messages under way between acceptance and receipt in the closed loop: those of less than half a second. */
const WINDOW = 2_000;
const DRAIN_TIMEOUT_MS = 120_000;
/** Seconds within which the backlog of a closed loop fills. */
const RAMP_SECONDS = 10;

/** The parts of a run that are not the product. */
const TRAFFIC = 'traffic';
const OUTSIDE = new Set([TRAFFIC, 'bench']);

/** The messages of a run. */
export interface PipelineWorkload {
  request: Pick<Load, 'url' | 'headers' | 'body' | 'bodies' | 'toMany'>;
  /** Webhook calls per message. A call counts as this fraction of a received message. */
  pushesPerMessage: number;
}

/** One stretch of the closed loop. */
export interface Turn {
  accepted: number;
  received: number;
  seconds: number;
  backlog: number;
  run: LoadResult;
  receipts: Receipts;
  cpu: Breakdown;
}

/** Loads a stage whose webhook is the receiver, and measures its throughput. */
export class PipelineRun {
  private readonly stage: Stage;
  private readonly traffic: SideProcess;
  private readonly workload: PipelineWorkload;

  constructor(stage: Stage, traffic: SideProcess, workload: PipelineWorkload) {
    this.stage = stage;
    this.traffic = traffic;
    this.workload = workload;
  }

  /** Runs the closed loop for some seconds, or until this number of messages is received. */
  async warmUp(connections: number, forSeconds: number, messages: number): Promise<void> {
    const before = await this.begin();
    const until = performance.now() + forSeconds * 1000;
    while ((await this.received()) < messages && performance.now() < until)
      await this.load(connections, Math.min(5, forSeconds), { window: WINDOW });
    await this.untilReceived(before);
  }

  /**
   * Runs a closed loop: a message is sent when one is received, so the backlog stays and the pipeline sustains the
   * rate.
   */
  async steady(
    connections: number,
    forSeconds: number,
    options: Partial<Load> = { window: WINDOW },
  ): Promise<Turn> {
    const before = await this.begin();
    const running = this.load(connections, forSeconds + RAMP_SECONDS + 1, options);
    await this.ramp();
    await this.traffic.ask('resetLatencies');
    const endCpu = await this.stage.countCpu({ [TRAFFIC]: [this.traffic.pid] });
    const [from, at] = [await this.counts(), performance.now()];
    await sleep(forSeconds * 1000);
    const [upto, seconds] = [await this.counts(), (performance.now() - at) / 1000];
    const received = upto.received - from.received;
    const cpu = await endCpu(received);
    const receipts = await this.receipts();
    await this.traffic.ask('stop');
    const run = await running;
    await this.untilReceived(before);
    const backlog = upto.accepted - upto.received;
    return { accepted: upto.accepted - from.accepted, received, seconds, backlog, run, receipts, cpu };
  }

  /**
   * Waits until as many messages are received as may be under way: from then on as many are accepted as received, so
   * that the CPU of a message is that of a whole one.
   */
  private async ramp(): Promise<void> {
    const until = performance.now() + RAMP_SECONDS * 1000;
    do await sleep(1_000);
    while ((await this.received()) < WINDOW && performance.now() < until);
  }

  /** Accepts as fast as possible, without waiting for receipts, and then waits until all are received. */
  async overload(connections: number, forSeconds: number): Promise<Result> {
    const before = await this.begin();
    const endCpu = await this.stage.countCpu({ [TRAFFIC]: [this.traffic.pid] });
    const startedAt = Date.now();
    const { perSecond, p50Ms, p99Ms, failed } = await this.load(connections, forSeconds);
    const { accepted, receipts } = await this.untilReceived(before);
    return {
      name: `${connections} connections, overload`,
      numbers: {
        acceptedPerSecond: perSecond,
        drainedPerSecond: (receipts.count * 1000) / (receipts.lastAt - startedAt),
        acceptP50Ms: p50Ms,
        acceptP99Ms: p99Ms,
        receiptP50Ms: receipts.p50Ms ?? Number.NaN,
        receiptP99Ms: receipts.p99Ms ?? Number.NaN,
        failed,
        lost: accepted - receipts.count,
      },
      cpu: await endCpu(receipts.count),
    };
  }

  private load(connections: number, seconds: number, options: Partial<Load> = {}): Promise<LoadResult> {
    return this.traffic.ask<LoadResult>('run', {
      ...this.workload.request,
      connections,
      seconds,
      ...options,
    });
  }

  private async counts(): Promise<{ accepted: number; received: number }> {
    const accepted = await this.traffic.ask<number>('accepted');
    return { accepted, received: await this.received() };
  }

  private async received(): Promise<number> {
    return (await this.traffic.ask<number>('count')) / this.workload.pushesPerMessage;
  }

  private async begin(): Promise<number> {
    await this.traffic.ask('pushesPerMessage', { count: this.workload.pushesPerMessage });
    await this.traffic.ask('reset');
    return this.countSubmissions();
  }

  /**
   * Waits for all receipts. Counts the accepted messages in the database: a call whose answer was lost may be accepted.
   */
  private async untilReceived(submissionsBefore: number): Promise<{ accepted: number; receipts: Receipts }> {
    const deadline = performance.now() + DRAIN_TIMEOUT_MS;
    for (let last = -1; ; ) {
      const accepted = (await this.countSubmissions()) - submissionsBefore;
      const receipts = await this.receiptsOf(accepted, deadline);
      if (accepted === last || performance.now() > deadline) return { accepted, receipts };
      last = accepted;
    }
  }

  /** Waits without statements, whose cost would be that of the messages. */
  private async receiptsOf(accepted: number, deadline: number): Promise<Receipts> {
    for (;;) {
      const receipts = await this.receipts();
      if (receipts.count >= accepted || performance.now() > deadline) return receipts;
      await sleep(100);
    }
  }

  private async receipts(): Promise<Receipts> {
    const receipts = await this.traffic.ask<Receipts>('receipts');
    return { ...receipts, count: Math.floor(receipts.count / this.workload.pushesPerMessage) };
  }

  /** Counts the rows of this run alone, by the time in their ids, so that a history costs nothing. */
  private async countSubmissions(): Promise<number> {
    const { rows } = await this.stage.db.query<{ count: number }>(
      'SELECT count(*)::integer AS count FROM submission WHERE id >= $1',
      [this.firstId],
    );
    return rows[0]?.count ?? 0;
  }

  /** The lowest UUIDv7 of the moment at which this run was made. */
  private readonly firstId = lowestId(Date.now());
}

/** Adds up the turns of one kind. */
export function resultOf(name: string, turns: readonly Turn[], nuMicros: number): Result {
  const cpu = { ...addBreakdowns(turns.map((turn) => turn.cpu)), nuMicros };
  const sum = (field: 'accepted' | 'received' | 'seconds'): number =>
    turns.reduce((total, turn) => total + turn[field], 0);
  const worst = (valueOf: (turn: Turn) => number | undefined): number =>
    Math.max(...turns.map((turn) => valueOf(turn) ?? Number.NaN));
  const sumOfAll = sumMicros(cpu);
  const outside = sumMicros({ ...cpu, parts: cpu.parts.filter(({ part }) => OUTSIDE.has(part)) });
  return {
    name,
    numbers: {
      receivedPerSecond: sum('received') / sum('seconds'),
      acceptedPerSecond: sum('accepted') / sum('seconds'),
      backlogAtEnd: turns.at(-1)?.backlog ?? 0,
      acceptP50Ms: worst(({ run }) => run.p50Ms),
      acceptP99Ms: worst(({ run }) => run.p99Ms),
      receiptP50Ms: worst(({ receipts }) => receipts.p50Ms),
      receiptP99Ms: worst(({ receipts }) => receipts.p99Ms),
      failed: turns.reduce((total, { run }) => total + run.failed, 0),
      nuMicros,
      sumMicros: sumOfAll,
      sumNu: sumOfAll / nuMicros,
      productNu: (sumOfAll - outside) / nuMicros,
    },
    cpu,
  };
}

function lowestId(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
