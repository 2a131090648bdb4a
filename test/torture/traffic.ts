import { setTimeout as delay } from 'node:timers/promises';
import { type Attempt, Ledger, type Receipt } from '../support/ledger.ts';
import { Load, type LoadOptions, longestGap, recipient } from '../support/load.ts';
import { type ReceivedPush, type Receiver, startReceiver } from '../support/receiver.ts';
import type { Service } from '../support/service.ts';
import type { Flow } from './outcome.ts';

/** Messages of each kind, and how many of all kinds are sent per second. */
export interface TrafficSizes {
  sms?: number;
  chat?: number;
  codes?: number;
  perSecond: number;
}

const RECIPIENTS = 5;
const LONGEST_MS = 4 * 3_600_000;
const PUSH_PLACES = 64;
/** A number of a kind of its own, which no other flow uses. */
const CODE_PREFIX = '9197';

/** One kind of messages, from its load to the receipts of its pushes. */
interface Lane {
  name: string;
  load: Load;
  wanted: number;
  ledger: Ledger;
  recipientsOf: (index: number) => string[];
}

/** SMS, chat messages and codes of the demo account, each counted in a ledger outside the product. */
export class Traffic implements AsyncDisposable {
  private readonly lanes: Lane[];
  private readonly receivers: Receiver[];

  private constructor(lanes: Lane[], receivers: Receiver[]) {
    this.lanes = lanes;
    this.receivers = receivers;
  }

  /** Creates the webhooks and starts to send. */
  static async start(
    service: Service,
    sizes: TrafficSizes,
    options: Partial<Pick<LoadOptions, 'apiUrl' | 'balanced'>> = {},
  ): Promise<Traffic> {
    const smsLedger = new Ledger();
    const chatLedger = new Ledger(new Set(['Failed', 'Read']));
    const codeLedger = new Ledger();
    const receivers = [
      await startReceiver((push, response) => {
        const receipt = smsReceipt(push);
        (receipt.recipient.startsWith(CODE_PREFIX) ? codeLedger : smsLedger).receive(receipt);
        response.end();
      }),
      await startReceiver((push, response) => {
        chatLedger.receive(chatReceipt(push));
        response.end();
      }),
    ];
    const shape = { name: 'torture', maxInFlight: PUSH_PLACES };
    await callApi(service, '/v1/webhooks', { ...shape, endPoint: receivers[0]!.url });
    const ofChat = { ...shape, channel: 'chatapp', events: ['message.status'] };
    await callApi(service, '/v1/webhooks', { ...ofChat, name: 'torture of chat', endPoint: receivers[1]!.url });
    const configId = await prepareCodes(service);
    const { sms = 0, chat = 0, codes = 0, perSecond } = sizes;
    const share = perSecond / (sms + chat + codes);
    const { apiUrl, apiKey } = service.stack;
    const start = (wanted: number, callOf: LoadOptions['callOf'], each = 1): Load =>
      new Load({
        apiUrl,
        apiKey,
        longestMs: LONGEST_MS,
        callsPerSecond: Math.max(0.2, (wanted * share) / each),
        recipientsPerCall: each,
        ...(callOf && { callOf }),
        ...options,
      });
    const lanes: Lane[] = [];
    if (sms > 0)
      lanes.push({
        name: 'SMS',
        load: start(sms, undefined, RECIPIENTS),
        wanted: sms,
        ledger: smsLedger,
        recipientsOf: (index) => Array.from({ length: RECIPIENTS }, (_, i) => recipient(index * RECIPIENTS + i)),
      });
    if (chat > 0)
      lanes.push({
        name: 'chat',
        load: start(chat, chatMessage),
        wanted: chat,
        ledger: chatLedger,
        recipientsOf: (index) => [recipient(index)],
      });
    if (codes > 0)
      lanes.push({
        name: 'codes',
        load: start(codes, (index) => ({ path: '/v1/verify', body: { configId, to: codeRecipient(index) } })),
        wanted: codes,
        ledger: codeLedger,
        recipientsOf: (index) => [codeRecipient(index)],
      });
    return new Traffic(lanes, receivers);
  }

  /** The part of the wanted messages that is accepted. */
  progress(): number {
    const wanted = this.lanes.reduce((sum, lane) => sum + lane.wanted, 0);
    const accepted = this.lanes.reduce((sum, { load, wanted: most }) => sum + Math.min(most, load.accepted.size), 0);
    return accepted / wanted;
  }

  /** Resolves when all wanted messages are accepted. */
  async sent(): Promise<void> {
    await Promise.all(
      this.lanes.map(async ({ load, wanted }) => {
        await load.until(wanted, LONGEST_MS);
        await load.stop();
      }),
    );
  }

  /** Ends the loads before all wanted messages are accepted. */
  async stop(): Promise<void> {
    await Promise.all(this.lanes.map(({ load }) => load.stop()));
  }

  /** Calls without a 2xx, by status or failure. */
  failures(): Record<string, number> {
    const failures: Record<string, number> = {};
    for (const { load } of this.lanes)
      for (const [name, count] of Object.entries(load.failures())) failures[name] = (failures[name] ?? 0) + count;
    return failures;
  }

  /** Figures of the calls: those without a 2xx, the slowest, and the longest time without a 2xx. */
  calls(): Record<string, string> {
    const slowestMs = Math.max(...this.lanes.map(({ load }) => load.slowestMs()));
    const pauses = this.lanes.map(({ name, load }) => `${name} ${seconds(longestGap([...load.accepted.values()]))}`);
    return {
      'calls without a 2xx': JSON.stringify(this.failures()),
      'slowest call': seconds(slowestMs),
      'longest time without a 2xx': pauses.join(', '),
    };
  }

  /** Waits until nothing is missing, at most for some seconds, and counts. */
  async drain(since: number, patienceSeconds: number): Promise<Flow[]> {
    const deadline = Date.now() + patienceSeconds * 1_000;
    while (Date.now() < deadline && this.lanes.some((lane) => missing(lane).length > 0)) await delay(100);
    return this.lanes.map((lane) => {
      const tally = lane.ledger.tally(attemptsOf(lane));
      const last = Math.max(since, ...lane.ledger.finishedAt.values());
      return { name: lane.name, tally, drainSeconds: tally.lost.length > 0 ? Infinity : (last - since) / 1_000 };
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await Promise.all(this.receivers.map((receiver) => receiver[Symbol.asyncDispose]()));
  }
}

/** Calls the api with the key of the demo account. @throws Error without a 2xx */
export async function callApi<Data>(
  { stack }: Service,
  path: string,
  body: object,
  method = 'POST',
): Promise<Data> {
  const answer = await fetch(stack.apiUrl + path, {
    method,
    headers: { apikey: stack.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${path} answers ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { data: Data }).data;
}

/** Creates a configuration for codes, and removes the limits of its account. @returns its id */
async function prepareCodes(service: Service): Promise<string> {
  const none = { maxSendsPerPrefixPerHour: null, dailyCredits: null, fraudGuard: 'off' };
  await callApi(service, '/v1/verify/policy', none, 'PATCH');
  const config = { name: 'torture', sender: 'SIGNALBX', ttlSeconds: 3_600 };
  return (await callApi<{ id: string }>(service, '/v1/verify/configs', config)).id;
}

/** A message from the demo account's sender. Recipients differ, so that no pair reaches its pace. */
function chatMessage(index: number): { path: string; body: object } {
  const body = { type: 'text', from: '15550100001', to: recipient(index), text: { body: 'Hello' } };
  return { path: '/v1/chatapp', body };
}

/** A code is valid for a number; each number has a prefix of its own, and the limits are by prefix. */
function codeRecipient(index: number): string {
  return `${CODE_PREFIX}${String(index).padStart(6, '0')}0100`;
}

function smsReceipt({ report, headers, at }: ReceivedPush): Receipt {
  const { mobileNumber = '', messageId = '', status = '' } = report;
  return { recipient: mobileNumber, messageId, status, webhookId: String(headers['webhook-id']), at };
}

function chatReceipt({ body, headers, at }: ReceivedPush): Receipt {
  const { data } = JSON.parse(body) as { data: { to: string; messageId: string; status: string } };
  const webhookId = String(headers['webhook-id']);
  return { recipient: data.to, messageId: data.messageId, status: data.status, webhookId, at };
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function missing(lane: Lane): string[] {
  return lane.ledger.missing(attemptsOf(lane));
}

function attemptsOf({ load, recipientsOf }: Lane): Attempt[] {
  return load.calls.flatMap(({ index, messageIds }) =>
    recipientsOf(index).map((to) => ({ recipient: to, isAccepted: messageIds.length > 0 })),
  );
}
