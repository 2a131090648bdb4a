import { randomUUIDv7 } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { webhookRow } from '@signalbox/domain/sealed-rows';
import { newWebhookSecret } from '@signalbox/domain/webhooks/push-signature';
import { producerConnection } from '@signalbox/queues/queue-connection';
import { JOB_OPTIONS } from '@signalbox/queues/worker-options';
import { Sealer } from '@signalbox/runtime/seal';
import { Queue } from 'bullmq';
import type { NaiveJob } from './naive-queue-process.ts';
import type { Receipts } from './receiver.ts';
import { type Result, type RunOptions, atMost, seconds } from './report.ts';
import { type SideProcess, startSideProcess } from './side-process.ts';
import { type Stage, openStage } from './stage.ts';

const ENDPOINTS = 50;
const TICK_MS = 100;
const PER_TICK = 40;
/** Nine of ten reports are for unhealthy endpoints. */
const HEALTHY_EVERY = 10;
/** Reports for a busy endpoint, in addition to those for healthy ones: more than it takes. */
const BUSY_PER_TICK = 300;
const BUSY_IN_FLIGHT = 256;
const BACKLOG = 1_000_000;
const NAIVE_QUEUE = 'bench-naive';
const NAIVE_CONCURRENCY = 100;
const TARGET_MS = 1_000;
const SECRETS_KEY = Buffer.alloc(32, 'bench').toString('base64');

interface Endpoint {
  accountId: string;
  url: string;
}

/** The endpoints of the reports of a tick. */
type Traffic = () => Endpoint[];

/**
 * 50 endpoints of 50 accounts, half of them dead in some way and with nine tenths of the traffic: the delay of a
 * healthy one, from its report to its receipt. First by one naive queue, then by the dlr-worker, then by it with a dead
 * endpoint's backlog. At last next to one account that has more reports than its endpoint takes.
 */
export async function benchIsolation(options: RunOptions): Promise<Result[]> {
  const env = { SECRETS_KEY };
  await using stage = await openStage({ apps: ['api', 'dlr-worker'], profile: options.profile, env });
  await using receiver = await startSideProcess('traffic-process.ts');
  await using others = await startSideProcess('endpoints-process.ts');
  const run = new IsolationRun(stage, receiver, others, seconds(options, 30));
  await run.prepare();
  const naive = await run.naive();
  const isolated = await run.isolated('isolation: by endpoint');
  const rows = Math.round(BACKLOG * Math.min(1, options.timeScale));
  await run.makeBacklog(rows);
  const beside = await run.isolated(`isolation: beside a backlog of ${rows}`);
  const besideBusy = await run.besideBusy();
  for (const result of [isolated, beside, ...besideBusy])
    result.targets = [
      atMost(
        TARGET_MS,
        result.numbers['healthyP99Ms'] ?? Infinity,
        `${result.name}: p99 of healthy endpoints, ms`,
      ),
    ];
  return [naive, isolated, beside, ...besideBusy];
}

class IsolationRun {
  private healthy: Endpoint[] = [];
  private unhealthy: Endpoint[] = [];
  private busy: Endpoint[] = [];
  private calls = 0;
  private readonly sealer = new Sealer(SECRETS_KEY);
  private readonly stage: Stage;
  private readonly receiver: SideProcess;
  private readonly others: SideProcess;
  private readonly forSeconds: number;

  constructor(stage: Stage, receiver: SideProcess, others: SideProcess, forSeconds: number) {
    this.stage = stage;
    this.receiver = receiver;
    this.others = others;
    this.forSeconds = forSeconds;
  }

  async prepare(): Promise<void> {
    const healthyUrl = await this.receiver.ask<string>('url');
    const { unhealthy: urls, busy } = await this.others.ask<Record<'unhealthy' | 'busy', string[]>>('urls');
    for (let i = 0; i < ENDPOINTS; i += 1) {
      const isHealthy = i % 2 === 0;
      const endpoint = await this.addEndpoint(
        isHealthy ? healthyUrl : (urls[Math.floor(i / 2) % urls.length] ?? healthyUrl),
      );
      (isHealthy ? this.healthy : this.unhealthy).push(endpoint);
    }
    for (const url of busy) this.busy.push(await this.addEndpoint(url, BUSY_IN_FLIGHT));
  }

  /** Sends the traffic through one queue with a job per call. */
  async naive(): Promise<Result> {
    await using worker = await startSideProcess('naive-queue-process.ts');
    const redisUrl = this.stage.stack.queueUrl;
    await worker.ask('start', { queue: NAIVE_QUEUE, redisUrl, concurrency: NAIVE_CONCURRENCY });
    const queue = openNaiveQueue(redisUrl);
    await queue.waitUntilReady();
    const result = await this.measure('isolation: one naive queue', this.mixed, async (endpoints) => {
      const jobs = endpoints.map(({ url }) => ({
        name: NAIVE_QUEUE,
        data: { url, body: JSON.stringify({ messageId: randomUUIDv7() }) },
      }));
      await queue.addBulk(jobs);
    });
    await worker.ask('stop');
    await queue.close();
    return result;
  }

  /** Sends the traffic through the dlr-worker, as reports that a gateway's worker stores. */
  async isolated(name: string, traffic = this.mixed): Promise<Result> {
    const queue = await this.stage.openReportQueue();
    const result = await this.measure(name, traffic, async (endpoints) => {
      await queue.addJobs(await this.storeReports(endpoints), {});
    });
    await queue.close();
    return result;
  }

  /** Sends more to a busy endpoint than it takes, first alone and then with the traffic of the healthy endpoints. */
  async besideBusy(): Promise<Result[]> {
    const results: Result[] = [];
    for (const endpoint of this.busy) {
      const name = `isolation: beside ${new URL(endpoint.url).pathname}`;
      const alone = Array.from({ length: BUSY_PER_TICK }, () => endpoint);
      await this.isolated(name, () => alone);
      const healthy = (): Endpoint[] => this.mixed().filter((each) => this.healthy.includes(each));
      results.push(await this.isolated(name, () => [...healthy(), ...alone]));
    }
    return results;
  }

  /** Stores pushes for the first unhealthy endpoint, as if it had been down for a day. */
  async makeBacklog(rows: number): Promise<void> {
    await this.stage.db.query(
      `WITH r AS (
         INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, reported_at, settled_at)
         SELECT uuidv7(), 'simulator', m.submission_id, m.n, 'DELIVERED', '000', 'Message delivered', now(), now()
           FROM (SELECT submission_id, n FROM message WHERE account_id = $1 LIMIT 1) AS m, generate_series(1, $2) RETURNING id
       )
       INSERT INTO push (webhook_id, report_id, account_id, status, attempts, next_attempt_at)
       SELECT w.id, r.id, w.account_id, 'WAITING', 0, now() - interval '1 minute' FROM r, webhook w WHERE w.account_id = $1`,
      [this.unhealthy[0]?.accountId, rows],
    );
    await this.stage.db.query('ANALYZE push');
  }

  private async measure(
    name: string,
    traffic: Traffic,
    send: (endpoints: Endpoint[]) => Promise<void>,
  ): Promise<Result> {
    await this.receiver.ask('reset');
    const callsBefore = await this.others.ask<number>('calls');
    const endCpu = await this.stage.countCpu({
      receiver: [this.receiver.pid],
      'other endpoints': [this.others.pid],
    });
    let sent = 0;
    let healthySent = 0;
    const startedAt = performance.now();
    for (let at = 0; at < this.forSeconds * 1000; at += TICK_MS) {
      const endpoints = traffic();
      sent += endpoints.length;
      healthySent += endpoints.filter((endpoint) => this.healthy.includes(endpoint)).length;
      await send(endpoints);
      await sleep(Math.max(0, startedAt + at + TICK_MS - performance.now()));
    }
    await this.untilReceived(healthySent);
    const receipts = await this.receiver.ask<Receipts>('receipts');
    return {
      name,
      numbers: {
        sent,
        healthySent,
        healthyReceived: receipts.count,
        healthyP50Ms: receipts.p50Ms ?? Infinity,
        // Missing calls waited longer than all others.
        healthyP99Ms: receipts.count < healthySent * 0.99 ? Infinity : (receipts.p99Ms ?? Infinity),
        callsToOthers: (await this.others.ask<number>('calls')) - callsBefore,
      },
      cpu: await endCpu(sent),
    };
  }

  private async untilReceived(count: number): Promise<void> {
    const deadline = performance.now() + 10_000;
    while ((await this.receiver.ask<number>('count')) < count && performance.now() < deadline)
      await sleep(50);
  }

  private readonly mixed: Traffic = () => Array.from({ length: PER_TICK }, () => this.next());

  private next(): Endpoint {
    const call = this.calls++;
    const from = call % HEALTHY_EVERY === 0 ? this.healthy : this.unhealthy;
    return from[Math.floor(call / HEALTHY_EVERY + call) % from.length]!;
  }

  /** Adds a webhook in a separate account, so that a report means one push. Its secret is sealed for that account. */
  private async addEndpoint(url: string, maxInFlight = 4): Promise<Endpoint> {
    await this.stage.createWebhook({ endPoint: url, maxInFlight });
    const { rows } = await this.stage.db.query<{ id: string; accountId: string }>(
      `WITH a AS (INSERT INTO account (id, name) SELECT uuidv7(), 'bench ' || gen_random_uuid() RETURNING id)
       UPDATE webhook SET account_id = a.id FROM a WHERE webhook.name = 'bench' AND webhook.account_id = (SELECT id FROM account WHERE name = 'Demo')
       RETURNING webhook.id, account_id AS "accountId"`,
    );
    const { id, accountId } = rows[0]!;
    const sealed = this.sealer.seal(newWebhookSecret(), webhookRow(accountId, id));
    await this.stage.db.query('UPDATE webhook SET sealed_secret = $2 WHERE id = $1', [id, sealed]);
    return { accountId, url };
  }

  private async storeReports(endpoints: Endpoint[]): Promise<string[]> {
    const { rows } = await this.stage.db.query<{ id: string }>(
      `WITH stored AS (
         INSERT INTO submission (id, account_id, channel, kind, lane, sender, content, recipients, credits, fanned_upto, fanned_out_at)
         SELECT uuidv7(), account_id, 'sms', 'text', 'TRANS', 'SIGNALBX', '{"text":"Hello","unicode":false,"flash":false}', '{919800001234}', 1, 1, now()
           FROM unnest($1::uuid[]) AS account_id
         RETURNING id, account_id
       ), sent AS (
         INSERT INTO message (submission_id, n, account_id, recipient, status, credits, claimed_until, gateway, sent_at)
         SELECT id, 1, account_id, '919800001234', 'SENT', 1, now() + interval '1 hour', 'simulator', now() FROM stored
       )
       INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, reported_at)
       SELECT uuidv7(), 'simulator', id, 1, 'DELIVERED', '000', 'Message delivered', now() FROM stored RETURNING id`,
      [endpoints.map(({ accountId }) => accountId)],
    );
    return rows.map((row) => row.id);
  }
}

function openNaiveQueue(url: string): Queue<NaiveJob> {
  const queue = new Queue<NaiveJob>(NAIVE_QUEUE, {
    ...producerConnection({ url, prefix: 'bull' }),
    defaultJobOptions: JOB_OPTIONS,
  });
  queue.on('error', console.error);
  return queue;
}
