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

/** More messages than any run takes: the run ends the load. */
export const ENDLESS = 1e9;

/** A load of all kinds that its run ends. Of 1,500 a second 70 are for the number that sends 80 chat messages at most. */
export function endless(perSecond: number): TrafficSizes {
  return { sms: ENDLESS, chat: ENDLESS / 20, codes: ENDLESS / 50, perSecond };
}

/** The api or apis to send to, and the address at which webhooks call an endpoint: by default its own. */
export interface TrafficOptions extends Partial<Pick<LoadOptions, 'apiUrl' | 'balanced'>> {
  endpointOf?: (url: string) => string | Promise<string>;
}

const RECIPIENTS = 5;
const LONGEST_MS = 4 * 3_600_000;
const PUSH_PLACES = 64;
/** Begins the numbers of codes. Each has its own prefix, by which codes are limited. */
const CODE_PREFIX = '9197';
const KINDS = ['sms', 'chat', 'codes'] as const;
type Kind = (typeof KINDS)[number];
type Ledgers = Record<Kind, Ledger>;

/** One kind of messages: the recipients of a call, and the call. */
interface FlowKind {
  name: string;
  recipientsOf: (index: number) => string[];
  callOf: (recipients: string[], configId: string) => { path: string; body: object };
}

const FLOWS: Record<Kind, FlowKind> = {
  sms: {
    name: 'SMS',
    recipientsOf: (index) => Array.from({ length: RECIPIENTS }, (_, i) => recipient(index * RECIPIENTS + i)),
    callOf: (to) => ({ path: '/v1/sms', body: { sender: 'SIGNALBX', to, text: 'Hello', type: 'TRANS' } }),
  },
  // Recipients differ, so that no pair reaches its pace.
  chat: {
    name: 'chat',
    recipientsOf: (index) => [recipient(index)],
    callOf: ([to]) => ({
      path: '/v1/chatapp',
      body: { type: 'text', from: '15550100001', to, text: { body: 'Hello' } },
    }),
  },
  codes: {
    name: 'codes',
    recipientsOf: (index) => [`${CODE_PREFIX}${String(index).padStart(6, '0')}0100`],
    callOf: ([to], configId) => ({ path: '/v1/verify', body: { configId, to } }),
  },
};

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
    { endpointOf = (url) => url, ...options }: TrafficOptions = {},
  ): Promise<Traffic> {
    // Delivered ends a chat message too: the simulator keeps the calls that it owes in Redis, which may be wiped.
    const ledgers: Ledgers = { sms: new Ledger(), chat: new Ledger(), codes: new Ledger() };
    const receivers = await receive(service, ledgers, endpointOf);
    const configId = sizes.codes === undefined ? '' : await prepareCodes(service);
    const { apiUrl, apiKey } = service.stack;
    const all = { apiUrl, apiKey, longestMs: LONGEST_MS, ...options };
    const total = KINDS.reduce((sum, kind) => sum + (sizes[kind] ?? 0), 0);
    const lanes = KINDS.filter((kind) => sizes[kind]).map((kind): Lane => {
      const wanted = sizes[kind] ?? 0;
      const { name, recipientsOf, callOf } = FLOWS[kind];
      const callsPerSecond = (sizes.perSecond * wanted) / total / recipientsOf(0).length;
      const load = new Load({
        ...all,
        callsPerSecond,
        callOf: (index) => callOf(recipientsOf(index), configId),
      });
      return { name, load, wanted, ledger: ledgers[kind], recipientsOf };
    });
    return new Traffic(lanes, receivers);
  }

  /** The fraction of the wanted messages that is accepted, from 0 to 1. */
  progress(): number {
    const wanted = this.lanes.reduce((sum, lane) => sum + lane.wanted, 0);
    const accepted = this.lanes.reduce(
      (sum, { load, wanted: most }) => sum + Math.min(most, load.accepted.size),
      0,
    );
    return accepted / wanted;
  }

  /** Number of accepted messages, which may exceed those wanted. */
  accepted(): number {
    return this.lanes.reduce((sum, { load }) => sum + load.accepted.size, 0);
  }

  /** The accepted messages without a push of a final status, and the ledger that each push will be in. */
  unfinished(): { ledger: Ledger; to: string }[] {
    return this.lanes.flatMap((lane) =>
      lane.ledger.missing(attemptsOf(lane)).map((to) => ({ ledger: lane.ledger, to })),
    );
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
      for (const [name, count] of Object.entries(load.failures()))
        failures[name] = (failures[name] ?? 0) + count;
    return failures;
  }

  /** Number of 503 responses without a Retry-After. */
  impatient(): number {
    return this.lanes.flatMap(({ load }) => load.impatient()).length;
  }

  /** The longest time of a call, failed or not. */
  slowestMs(): number {
    return Math.max(0, ...Object.values(this.slowest()));
  }

  /** The longest time of a call in milliseconds, by status or failure. */
  slowest(): Record<string, number> {
    const slowest: Record<string, number> = {};
    for (const { load } of this.lanes)
      for (const [name, ms] of Object.entries(load.slowest()))
        slowest[name] = Math.max(slowest[name] ?? 0, ms);
    return slowest;
  }

  /** Figures of the calls: those without a 2xx, the slowest by status, and the longest time without a 2xx. */
  calls(): Record<string, string> {
    const pauses = this.lanes.map(
      ({ name, load }) => `${name} ${seconds(longestGap([...load.accepted.values()]))}`,
    );
    return {
      'calls without a 2xx': JSON.stringify(this.failures()),
      'slowest call': Object.entries(this.slowest())
        .map(([name, ms]) => `${name} ${seconds(ms)}`)
        .join(', '),
      'longest time without a 2xx': pauses.join(', '),
    };
  }

  /** Waits until nothing is missing, at most for some seconds, and counts. */
  async drain(since: number, patienceSeconds: number): Promise<Flow[]> {
    const deadline = Date.now() + patienceSeconds * 1_000;
    for (const lane of this.lanes) {
      // Asked often, and of many messages: only those that were missing before are looked at again.
      let open = lane.ledger.missing(attemptsOf(lane));
      while (open.length > 0 && Date.now() < deadline) {
        await delay(100);
        open = open.filter((each) => !lane.ledger.finishedAt.has(each));
      }
    }
    return this.lanes.map((lane) => {
      const tally = lane.ledger.tally(attemptsOf(lane));
      let last = since;
      for (const at of lane.ledger.finishedAt.values()) last = Math.max(last, at); // too many for arguments
      return {
        name: lane.name,
        tally,
        drainSeconds: tally.lost.length > 0 ? Infinity : (last - since) / 1_000,
      };
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await Promise.all(this.receivers.map((receiver) => receiver[Symbol.asyncDispose]()));
  }
}

/** Calls the api with the key of the demo account. @throws Error without a 2xx */
async function callApi<Data>({ stack }: Service, path: string, body: object, method = 'POST'): Promise<Data> {
  const answer = await fetch(stack.apiUrl + path, {
    method,
    headers: { apikey: stack.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${path} answers ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { data: Data }).data;
}

/** Creates the webhooks of the demo account, and the endpoints that write what arrives into the ledgers. */
async function receive(
  service: Service,
  ledgers: Ledgers,
  endpointOf: (url: string) => string | Promise<string>,
): Promise<Receiver[]> {
  const ofSms = await startReceiver((push, response) => {
    const receipt = smsReceipt(push);
    const isCode = receipt.recipient.startsWith(CODE_PREFIX);
    (isCode ? ledgers.codes : ledgers.sms).receive(receipt);
    response.end();
    ofSms.received.length = 0; // millions of them would fill the memory
  });
  const ofChat = await startReceiver((push, response) => {
    ledgers.chat.receive(chatReceipt(push));
    response.end();
    ofChat.received.length = 0;
  });
  const maxInFlight = PUSH_PLACES;
  const endPoint = await endpointOf(ofSms.url);
  await callApi(service, '/v1/webhooks', { name: 'torture', maxInFlight, endPoint });
  const events = { channel: 'chatapp', events: ['message.status'] };
  await callApi(service, '/v1/webhooks', {
    name: 'torture of chat',
    maxInFlight,
    endPoint: await endpointOf(ofChat.url),
    ...events,
  });
  return [ofSms, ofChat];
}

/** Creates a configuration for codes, and removes the limits of its account. @returns its id */
async function prepareCodes(service: Service): Promise<string> {
  const none = { maxSendsPerPrefixPerHour: null, dailyCredits: null, fraudGuard: 'off' };
  await callApi(service, '/v1/verify/policy', none, 'PATCH');
  const config = { name: 'torture', sender: 'SIGNALBX', ttlSeconds: 3_600 };
  return (await callApi<{ id: string }>(service, '/v1/verify/configs', config)).id;
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

function attemptsOf({ load, recipientsOf }: Lane): Attempt[] {
  return load.calls.flatMap(({ index, messageIds }) =>
    recipientsOf(index).map((to) => ({ recipient: to, isAccepted: messageIds.length > 0 })),
  );
}
