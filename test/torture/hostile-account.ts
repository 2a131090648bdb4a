import { type IncomingMessage, get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { createAccountKey } from '@signalbox/database/accounts/seed';
import { newApiKey } from '@signalbox/domain/api-key';
import { startReceiver } from '../support/receiver.ts';
import { type Service, type Tenant, startService } from '../support/service.ts';
import { startHostilePeers } from '../faults/hostile-peers.ts';
import { type Outcome, type RunOptions, broken } from './outcome.ts';
import { p99, pushTimes } from './times.ts';

/** The default of an installation, instead of that of `npm start`. */
const RATE_LIMIT = '60000';
const CALLS_PER_SECOND = 10;
/** The part of the quiet account's latency alone that it may reach next to the hostile one. */
const FACTOR = 2;
const BULK = 5_000;
const READERS = 20;
/** Connections that each peer is ready for. */
const CROWD = 256;

/** Milliseconds between the stages of the quiet account's messages. */
const STAGES = `
  SELECT percentile_disc(0.99) WITHIN GROUP (ORDER BY extract(epoch FROM m.sent_at - s.accepted_at) * 1000)::integer AS sent,
         percentile_disc(0.99) WITHIN GROUP (
           ORDER BY extract(epoch FROM uuid_extract_timestamp(e.id) - m.sent_at) * 1000
         )::integer AS reported,
         percentile_disc(0.99) WITHIN GROUP (
           ORDER BY extract(epoch FROM e.settled_at - uuid_extract_timestamp(e.id)) * 1000
         )::integer AS settled
    FROM submission s
    JOIN message m ON m.submission_id = s.id
    JOIN message_event e ON e.submission_id = s.id
   WHERE s.accepted_at >= $1 AND s.account_id <> (SELECT id FROM account WHERE name = 'Hostile')`;

interface Latency {
  acceptP99Ms: number;
  pushP99Ms: number;
}

/** Measures a quiet account alone, and then next to one that does everything that costs the others. */
export async function runHostileAccount({ queue, sizes }: RunOptions): Promise<Outcome> {
  const { seconds = 0 } = sizes;
  const env = { RATE_LIMIT_PER_MINUTE: RATE_LIMIT };
  await using service = await startService({ queue, ownPostgres: true, env });
  await using quiet = await service.createTenant();
  await measure(quiet, seconds / 4); // warms up
  const alone = await measure(quiet, seconds);
  await using hostile = await HostileAccount.start(service);
  const from = new Date().toISOString();
  const together = await measure(quiet, seconds);
  const [stages = {}] = await service.query<object>(STAGES.replace('$1', `'${from}'`));
  const rules = Object.fromEntries(
    (['acceptP99Ms', 'pushP99Ms'] as const).map((name) => [
      `${name} of the quiet account is ${together[name]} instead of ${alone[name]}`,
      together[name] > FACTOR * alone[name],
    ]),
  );
  return {
    flows: [],
    figures: {
      alone: JSON.stringify(alone),
      'next to the hostile one': JSON.stringify(together),
      'its p99 by stage, in ms': JSON.stringify(stages),
      'hostile answers': JSON.stringify(hostile.answers),
    },
    broken: broken({ ...rules, 'calls of the quiet account failed': together.failed > 0 }),
  };
}

async function measure(tenant: Tenant, seconds: number): Promise<Latency & { failed: number }> {
  const load = tenant.startLoad({ callsPerSecond: CALLS_PER_SECOND, recipientsPerCall: 1 });
  for (const until = Date.now() + seconds * 1_000; Date.now() < until; ) await load.more(1);
  await load.stop();
  await tenant.untilPushed(load, 120_000);
  return {
    acceptP99Ms: p99(load.calls.map(({ tookMs }) => tookMs)),
    pushP99Ms: p99(pushTimes(load, tenant)),
    failed: Object.keys(load.failures()).length,
  };
}

/** An account whose calls cost the others as much as they can. */
class HostileAccount implements AsyncDisposable {
  /** Answers by kind of call and status. */
  readonly answers: Record<string, number> = {};
  private readonly apiUrl: string;
  private readonly apiKey: string;
  private readonly resources = new AsyncDisposableStack();
  private readonly stopping = new AbortController();
  private readonly work: Promise<void>[] = [];

  private constructor(apiUrl: string, apiKey: string) {
    this.apiUrl = apiUrl;
    this.apiKey = apiKey;
  }

  static async start({ stack }: Service): Promise<HostileAccount> {
    const account = new HostileAccount(
      stack.apiUrl,
      await createAccountKey(stack.databaseUrl, 'Hostile', 'test'),
    );
    const hanging = account.resources.use(await startReceiver(() => undefined));
    const peers = await startHostilePeers(CROWD);
    for (const peer of peers) account.resources.use(peer);
    for (const [i, url] of [hanging.url, hanging.url, ...peers.map((peer) => peer.url)].entries())
      await account.post('webhook', '/v1/webhooks', { name: `w${i}`, endPoint: url, maxInFlight: 256 });
    account.begin();
    return account;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.work);
    await this.resources.disposeAsync();
  }

  private begin(): void {
    const numbers = (from: number) =>
      Array.from({ length: BULK }, (_, i) => String(919_811_000_000 + from + i));
    const sms = { sender: 'SIGNALBX', text: 'Hello', type: 'TRANS' };
    this.repeat(2_000, (i) => this.post('bulk', '/v1/sms', { ...sms, to: numbers(i * BULK) }));
    this.repeat(500, () => this.post('dry run', '/v1/sms?dryRun=true', { ...sms, to: numbers(0) }));
    for (let reader = 0; reader < READERS; reader += 1) this.repeat(5_000, () => this.readSlowly());
    for (const order of [numbers(0).slice(0, 200), numbers(0).slice(0, 200).toReversed()])
      this.repeat(200, () => this.post('opt-outs', '/v1/opt-outs', { recipients: order }));
    this.repeat(200, (i) =>
      this.post('preview', '/v1/webhooks/preview', {
        endPoint: `https://silent-${i}.invalid/`,
        channel: 'sms',
      }),
    );
    this.repeat(100, () =>
      this.post('made-up key', '/v1/sms', { text: 'x'.repeat(200_000) }, newApiKey('live')),
    );
    this.repeat(300, () => this.upload());
  }

  private repeat(everyMs: number, act: (index: number) => Promise<void>): void {
    const { signal } = this.stopping;
    const loop = async (): Promise<void> => {
      for (let i = 0; !signal.aborted; i += 1) {
        await act(i).catch(() => this.count('broken call', 0));
        await delay(everyMs, undefined, { signal }).catch(() => undefined);
      }
    };
    this.work.push(loop());
  }

  private async post(kind: string, path: string, body: object, apiKey = this.apiKey): Promise<void> {
    const headers = { apikey: apiKey, 'content-type': 'application/json' };
    const answer = await fetch(this.apiUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
    await answer.body?.cancel();
    this.count(kind, answer.status);
  }

  /** Uploads a video of many tiny boxes. */
  private async upload(): Promise<void> {
    const box = Buffer.from([0, 0, 0, 8, 0x66, 0x72, 0x65, 0x65]);
    const head = Buffer.from('00000010667479706973 6f6d0000000069736f6d'.replaceAll(' ', ''), 'hex');
    const form = new FormData();
    form.set(
      'file',
      new Blob([head, ...Array.from({ length: 50_000 }, () => box)], { type: 'video/mp4' }),
      'a.mp4',
    );
    const path = '/v1/chatapp/generateHeaderHandle';
    const answer = await fetch(this.apiUrl + path, {
      method: 'POST',
      headers: { apikey: this.apiKey },
      body: form,
    });
    await answer.body?.cancel();
    this.count('upload', answer.status);
  }

  /** Opens an export and reads a piece of it per second. */
  private readSlowly(): Promise<void> {
    const headers = { apikey: this.apiKey, accept: 'text/csv' };
    return new Promise((resolve) => {
      const call = get(`${this.apiUrl}/v1/messages`, { headers, agent: false }, (answer: IncomingMessage) => {
        this.count('export', answer.statusCode ?? 0);
        answer.pause();
        const timer = setInterval(() => answer.read(1_024), 1_000);
        answer.on('close', () => clearInterval(timer));
        setTimeout(() => call.destroy(), 10_000);
      });
      call.on('error', () => undefined);
      call.on('close', resolve);
      this.stopping.signal.addEventListener('abort', () => call.destroy(), { once: true });
    });
  }

  private count(kind: string, status: number): void {
    const name = `${kind} ${status}`;
    this.answers[name] = (this.answers[name] ?? 0) + 1;
  }
}
