import { setTimeout as sleep } from 'node:timers/promises';
import type { Breakdown } from './breakdown.ts';
import type { Load, LoadResult } from './load-process.ts';
import type { Receipts } from './receiver-process.ts';
import type { Result } from './report.ts';
import type { SideProcess } from './side-process.ts';
import type { Stage } from './stage.ts';

/** Messages under way between acceptance and receipt in the closed loop: those of less than half a second. */
const WINDOW = 2_000;
const FEEDBACK_MS = 10;
const DRAIN_TIMEOUT_MS = 120_000;

interface Sample {
  at: number;
  accepted: number;
  received: number;
}

/** The messages of a run. */
export interface PipelineWorkload {
  request: Pick<Load, 'url' | 'headers' | 'body' | 'bodies'>;
  /** Webhook calls per message. A call counts as this fraction of a received message. */
  pushesPerMessage: number;
}

/** Loads a stage whose webhook is the receiver, and samples its throughput. */
export class PipelineRun {
  private readonly stage: Stage;
  private readonly load: SideProcess;
  private readonly receiver: SideProcess;
  private readonly workload: PipelineWorkload;

  constructor(stage: Stage, load: SideProcess, receiver: SideProcess, workload: PipelineWorkload) {
    this.stage = stage;
    this.load = load;
    this.receiver = receiver;
    this.workload = workload;
  }

  /**
   * Runs a closed loop: a message is sent when one is received, so the backlog stays and the pipeline sustains the
   * rate.
   */
  async steady(connections: number, forSeconds: number): Promise<Result> {
    const rampSeconds = forSeconds / 5;
    const before = await this.begin();
    const running = this.load.ask<LoadResult>(
      'run',
      this.toLoad(connections, forSeconds + rampSeconds + 1, WINDOW),
    );
    await this.sample(rampSeconds * 1000);
    const endCpu = await this.countCpu();
    const samples = await this.sample(forSeconds * 1000);
    const cpu = await endCpu(received(samples));
    const receipts = await this.receipts();
    const result = await this.drain(running);
    await this.untilReceived(before);
    return this.result(`${connections} connections, closed loop`, samples, { ...result, receipts, cpu });
  }

  /** Accepts as fast as possible, without waiting for receipts, and then waits until all are received. */
  async overload(connections: number, forSeconds: number): Promise<Result> {
    const before = await this.begin();
    const endCpu = await this.countCpu();
    const startedAt = Date.now();
    const running = this.load.ask<LoadResult>('run', this.toLoad(connections, forSeconds));
    const samples = await this.sample(forSeconds * 1000);
    const loaded = await this.drain(running);
    const { accepted, receipts } = await this.untilReceived(before);
    const cpu = await endCpu(receipts.count);
    const result = this.result(`${connections} connections, overload`, samples, { ...loaded, receipts, cpu });
    result.numbers['drainedPerSecond'] = (receipts.count * 1000) / (receipts.lastAt - startedAt);
    result.numbers['lost'] = accepted - receipts.count;
    return result;
  }

  private toLoad(connections: number, forSeconds: number, window?: number): Load {
    return { ...this.workload.request, connections, seconds: forSeconds, window };
  }

  private countCpu(): ReturnType<Stage['countCpu']> {
    return this.stage.countCpu({ generator: [this.load.pid], receiver: [this.receiver.pid] });
  }

  /** Passes the count of receipts to the generator, and keeps both counts of each second. */
  private async sample(forMs: number): Promise<Sample[]> {
    const samples: Sample[] = [];
    const startedAt = performance.now();
    for (let at = 0; at < forMs || samples.length < 2; at = performance.now() - startedAt) {
      const count = Math.floor((await this.receiver.ask<number>('count')) / this.workload.pushesPerMessage);
      await this.load.ask('received', { count });
      if (at >= samples.length * 1000 || at + FEEDBACK_MS >= forMs)
        samples.push({ at, accepted: await this.load.ask<number>('accepted'), received: count });
      await sleep(FEEDBACK_MS);
    }
    return samples;
  }

  /** Passes the count of receipts to the generator until its load ends. */
  private async drain(running: Promise<LoadResult>): Promise<LoadResult> {
    for (let result; ; ) {
      result = await Promise.race([running, this.sample(FEEDBACK_MS * 3)]);
      if (!Array.isArray(result)) return result;
    }
  }

  private async begin(): Promise<number> {
    await this.receiver.ask('reset');
    return this.countSubmissions();
  }

  /**
   * Waits for all receipts. Counts the accepted messages in the database: the generator misses the answers to its last
   * requests.
   */
  private async untilReceived(submissionsBefore: number): Promise<{ accepted: number; receipts: Receipts }> {
    const deadline = performance.now() + DRAIN_TIMEOUT_MS;
    for (let last = -1; ; ) {
      const accepted = (await this.countSubmissions()) - submissionsBefore;
      const receipts = await this.receipts();
      if ((accepted === last && receipts.count >= accepted) || performance.now() > deadline)
        return { accepted, receipts };
      last = accepted;
      await sleep(200);
    }
  }

  private async receipts(): Promise<Receipts> {
    const receipts = await this.receiver.ask<Receipts>('receipts');
    return { ...receipts, count: Math.floor(receipts.count / this.workload.pushesPerMessage) };
  }

  private async countSubmissions(): Promise<number> {
    const { rows } = await this.stage.db.query<{ count: number }>(
      'SELECT count(*)::integer AS count FROM submission',
    );
    return rows[0]?.count ?? 0;
  }

  private result(
    name: string,
    samples: Sample[],
    run: LoadResult & { receipts: Receipts; cpu: Breakdown },
  ): Result {
    const elapsed = ((samples.at(-1)?.at ?? 0) - (samples[0]?.at ?? 0)) / 1000;
    const backlogs = samples.map(({ accepted, received: done }) => accepted - done);
    const last = samples.at(-1)!;
    return {
      name,
      numbers: {
        receivedPerSecond: received(samples) / elapsed,
        acceptedPerSecond: (last.accepted - samples[0]!.accepted) / elapsed,
        backlogAtEnd: backlogs.at(-1)!,
        backlogPerSecond: (backlogs.at(-1)! - backlogs[0]!) / elapsed,
        acceptP50Ms: run.p50Ms,
        acceptP99Ms: run.p99Ms,
        receiptP50Ms: run.receipts.p50Ms ?? Number.NaN,
        receiptP99Ms: run.receipts.p99Ms ?? Number.NaN,
        failed: run.failed,
      },
      cpu: run.cpu,
    };
  }
}

function received(samples: Sample[]): number {
  return samples.at(-1)!.received - samples[0]!.received;
}
