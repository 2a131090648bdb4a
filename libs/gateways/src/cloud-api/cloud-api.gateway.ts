import { setTimeout as sleep } from 'node:timers/promises';
import { getOrInsert } from '@signalbox/domain/get-or-insert';
import { maskMsisdn } from '@signalbox/domain/msisdn';
import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import { ChatAppGateway, type OutgoingChatMessage } from '../chat-app-gateway.ts';
import type { GatewayState, MessageAddress, ReceiveReports, SubmitOptions } from '../gateway.ts';
import type { GatewayHost } from '../gateway-host.ts';
import type { OpenRow } from '../open-row.ts';
import { type BusinessNumber, BusinessNumbers } from './business-numbers.ts';
import type { GraphError } from './error.ts';
import { type GraphAnswer, GraphClient } from './graph-client.ts';
import { Holds } from './holds.ts';
import { asObject, listOf, textOf } from './json.ts';
import { askHistory } from './message-history.ts';
import { NumberPace } from './number-pace.ts';
import { sendPayload } from './payload.ts';
import { type Refusal, Refusals } from './refusals.ts';
import type { CloudApiSettings } from './settings.ts';
import { findTreatment } from './treatments.ts';

/** Share of the time until the deadline after which a call without an answer is given up. */
const ANSWERED_WITHIN = 0.9;
/** Time that is left for the answer of a call, or half of the time to the deadline if that is shorter. */
const ANSWER_MS = 5_000;
const UNREACHABLE_RETRY_MS = 5_000;
/** Time between reads of the account's numbers, which also show when an expired token works again. */
const WATCH_MS = 30_000;
/** The same while none is known, because Meta was unreachable or failed. */
const FIRST_WATCH_MS = 5_000;

/** Sends WhatsApp messages by the Cloud API of Meta, for every number of one business account. */
export class CloudApiGateway extends ChatAppGateway {
  readonly name: string;
  private readonly settings: CloudApiSettings;
  private readonly client: GraphClient;
  private readonly numbers: BusinessNumbers;
  private readonly holds: Holds;
  private readonly paces = new Map<string, NumberPace>();
  private readonly refusals = new Refusals();
  private readonly closing = new AbortController();
  private readonly watch: NodeJS.Timeout;
  private lookedAt = Number.NEGATIVE_INFINITY;
  private receive: ReceiveReports | undefined;
  /** The calls in flight. */
  private readonly calls = new Set<Promise<unknown>>();
  private status: GatewayState = { status: 'connecting', reason: '', since: new Date(), detail: {} };

  constructor(
    { name, settings, secrets }: OpenRow<CloudApiSettings>,
    private readonly host: Pick<GatewayHost, 'logger' | 'share'>,
    private readonly now: () => number = () => performance.now(),
  ) {
    super();
    this.name = name;
    this.settings = settings;
    this.client = new GraphClient({
      ...settings,
      gateway: name,
      accessToken: secrets['accessToken'] ?? '',
    });
    this.numbers = new BusinessNumbers(this.client, settings.businessAccountId, now);
    this.holds = new Holds(now);
    this.watch = setInterval(() => this.lookIfDue(), FIRST_WATCH_MS).unref();
    void this.look();
  }

  /** Messages leave at the pace of their numbers, each in a separate call. */
  async submit(
    messages: OutgoingChatMessage[],
    { deadlineMs, signal }: SubmitOptions,
  ): Promise<SubmitOutcome[]> {
    if (messages.length === 0) return [];
    const limitMs = Math.max(1, Math.floor(deadlineMs * ANSWERED_WITHIN));
    const startMs = Math.ceil(limitMs - Math.min(ANSWER_MS, limitMs / 2));
    const startBy = this.now() + startMs;
    const ends = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
    const waits = AbortSignal.any([ends, AbortSignal.timeout(startMs), this.closing.signal]);
    return Promise.all(messages.map((message) => this.submitOne(message, startBy, { ends, waits })));
  }

  /** Asks WhatsApp for the history of messages whose id it gave us; its answers arrive as reports. */
  async query(messages: MessageAddress[]): Promise<MessageAddress[]> {
    if (this.closing.signal.aborted || !this.receive) return messages;
    const { reports, unasked } = await askHistory(
      this.client,
      this.numbers.all,
      messages,
      this.closing.signal,
    );
    if (reports.length > 0) await this.receive(reports);
    return unasked;
  }

  onReports(receive: ReceiveReports): void {
    this.receive = receive;
  }

  /** Does nothing: inbound messages arrive by callback. */
  onInbound(): void {}

  state(): GatewayState {
    const { status, reason } = this.view();
    if (status !== this.status.status) this.status = { ...this.status, since: new Date() };
    this.status = { ...this.status, status, reason, detail: this.figures() };
    return this.status;
  }

  /** Lets the calls in flight end: a message whose call is given up would be unconfirmed. */
  async close(): Promise<void> {
    clearInterval(this.watch);
    this.closing.abort();
    await Promise.allSettled(this.calls);
    await this.client.close();
  }

  private async submitOne(
    message: OutgoingChatMessage,
    startBy: number,
    { ends, waits }: Record<'ends' | 'waits', AbortSignal>,
  ): Promise<SubmitOutcome> {
    const { messageId, sender } = message;
    const found = await this.findNumber(sender, waits);
    if (typeof found === 'string') {
      const isOther = this.numbers.all.length > 0 && !waits.aborted;
      return throttled(messageId, isOther ? 'sender' : 'gateway', UNREACHABLE_RETRY_MS, found);
    }
    if (!found) return this.foreignNumber(message);
    const unsent =
      this.heldOutcome(message) ??
      (await this.awaitPace(message, this.paceOf(found), startBy, waits)) ??
      this.heldOutcome(message); // others may have been refused meanwhile
    return unsent ?? this.send(message, found, ends);
  }

  /** The outcome of a message whose number, or the gateway, sends nothing for now. */
  private heldOutcome({ messageId, sender }: OutgoingChatMessage): SubmitOutcome | undefined {
    const held = this.holds.remaining(sender);
    return held && throttled(messageId, held.scope, held.ms, held.reason);
  }

  /**
   * Waits until the number may send a message. A message that is late is throttled alone: a code of the same number may
   * still leave in time.
   *
   * @returns the outcome of a message that may not leave in time
   */
  private async awaitPace(
    message: OutgoingChatMessage,
    pace: NumberPace,
    startBy: number,
    signal: AbortSignal,
  ): Promise<SubmitOutcome | undefined> {
    const { messageId, template } = message;
    const limitMs = startBy - this.now();
    const isCode = template?.category === 'AUTHENTICATION';
    const slot = pace.reserve(limitMs, isCode);
    if (slot.waitMs > limitMs)
      return throttled(messageId, 'message', slot.waitMs, 'the number sends at its full rate');
    for (let ms = slot.waitMs; ms > 0 && !signal.aborted; ms = isCode ? 0 : pace.putOffMs(slot))
      await this.pause(ms, signal);
    if (!signal.aborted) return undefined;
    return throttled(messageId, 'message', UNREACHABLE_RETRY_MS, 'it was not sent in time');
  }

  /** @returns a sentence when the numbers of the account are not known */
  private async findNumber(
    sender: string,
    signal: AbortSignal,
  ): Promise<BusinessNumber | string | undefined> {
    if (signal.aborted) return 'the gateway is closed, or the time is over';
    const ended = Promise.withResolvers<'unknown'>();
    const end = (): void => ended.resolve('unknown');
    signal.addEventListener('abort', end, { once: true });
    const found = await Promise.race([this.numbers.find(sender), ended.promise]);
    signal.removeEventListener('abort', end);
    return found === 'unknown' ? this.listFailure() : found;
  }

  private foreignNumber({ messageId, sender }: OutgoingChatMessage): SubmitOutcome {
    return {
      messageId,
      result: 'rejected',
      errCode: '007',
      description: `The business account has no number ${sender}.`,
      tryOther: true,
    };
  }

  private async pause(ms: number, signal: AbortSignal): Promise<void> {
    await sleep(ms, undefined, { signal }).catch(() => undefined);
  }

  private async send(
    message: OutgoingChatMessage,
    number: BusinessNumber,
    signal: AbortSignal,
  ): Promise<SubmitOutcome> {
    const path = `/${number.phoneNumberId}/messages`;
    const call = this.client.call({ method: 'POST', path, body: sendPayload(message), signal });
    this.calls.add(call);
    const answer = await call;
    this.calls.delete(call);
    return this.outcomeOf(message, number, answer);
  }

  private outcomeOf(
    message: OutgoingChatMessage,
    number: BusinessNumber,
    answer: GraphAnswer,
  ): SubmitOutcome {
    const { messageId } = message;
    switch (answer.result) {
      case 'ok':
        this.holds.noteAccepted(number.msisdn);
        return accepted(messageId, answer.body['messages']);
      case 'unreachable':
        return throttled(messageId, 'gateway', UNREACHABLE_RETRY_MS, `Meta is unreachable: ${answer.reason}`);
      case 'unanswered':
        return { messageId, result: 'unconfirmed' };
      case 'refused': {
        const refusal = this.refusals.judge(messageId, answer.status, answer.error);
        this.learn(number, refusal, answer.error.code);
        return refusal.outcome;
      }
    }
  }

  /** Slows a number down, or stops it or the gateway, as a refusal asks. */
  private learn(number: BusinessNumber, { throttle }: Refusal, code: number | undefined): void {
    if (throttle?.effect === 'pace') this.paceOf(number).cut();
    if (throttle?.effect !== 'hold') return;
    const { scope, alarm } = throttle;
    if (this.holds.add(scope === 'gateway' ? undefined : number.msisdn, throttle))
      this.host.logger.error(
        { gateway: this.name, number: maskMsisdn(number.msisdn), scope, code, alarm },
        'gateway.alarm',
      );
  }

  private paceOf({ msisdn }: BusinessNumber): NumberPace {
    const rate = (): number => this.settings.messagesPerSecond * this.host.share();
    return getOrInsert(this.paces, msisdn, () => new NumberPace(rate, this.now));
  }

  private lookIfDue(): void {
    const isFirst = this.numbers.all.length === 0 && !this.isRefused;
    if (this.now() - this.lookedAt >= (isFirst ? FIRST_WATCH_MS : WATCH_MS)) void this.look();
  }

  /** A list that loads proves that the token works again. */
  private async look(): Promise<void> {
    this.lookedAt = this.now();
    await this.numbers.load();
    if (this.numbers.failure === undefined) this.holds.releaseToken();
  }

  private view(): Pick<GatewayState, 'status' | 'reason'> {
    if (this.closing.signal.aborted) return { status: 'closed', reason: 'The gateway is closed.' };
    const alarm = this.holds.gatewayAlarm;
    if (alarm !== undefined) return { status: 'down', reason: `${alarm}.` };
    const { all, failure } = this.numbers;
    if (this.isRefused || (failure !== undefined && all.length === 0))
      return { status: 'down', reason: this.listFailure() };
    if (all.length === 0)
      return { status: 'connecting', reason: 'It reads the numbers of the business account.' };
    const alarmed = [...this.holds.alarmed].map(([msisdn, why]) => `Number ${maskMsisdn(msisdn)}: ${why}.`);
    if (alarmed.length > 0)
      return { status: alarmed.length < all.length ? 'up' : 'down', reason: alarmed.join(' ') };
    const numbers = all.length === 1 ? '1 number' : `${all.length} numbers`;
    const problem = failure === undefined ? '' : ` ${this.listFailure()}`;
    return { status: 'up', reason: `Serves ${numbers} of the business account.${problem}` };
  }

  /** Is true while Meta refuses the list because of the token. Other failures leave the known numbers in use. */
  private get isRefused(): boolean {
    const { failure } = this.numbers;
    return typeof failure === 'object' && stopsGateway(failure);
  }

  private listFailure(): string {
    const { failure } = this.numbers;
    if (failure === undefined) return 'The numbers of the business account are not known yet.';
    const why = typeof failure === 'string' ? failure : `${failure.code ?? ''} ${failure.description}`.trim();
    const isToken = typeof failure === 'object' && (failure.code === 190 || failure.code === 0);
    const act = isToken ? ' Make a new access token and save it as accessToken.' : '';
    return `The numbers of the business account cannot be read: ${why.replace(/\.$/, '')}.${act}`;
  }

  private figures(): GatewayState['detail'] {
    const rates = [...this.paces.values()].map((pace) => pace.ratePerSecond);
    const { until } = this.holds;
    return {
      numbers: this.numbers.all.length,
      inFlight: this.calls.size,
      ratePerSecond: rates.length === 0 ? null : Math.round(Math.min(...rates)),
      throttledUntil: until === undefined ? null : new Date(Date.now() + until - this.now()).toISOString(),
    };
  }
}

/** Is true for a refusal of the token, or of a permission that it lacks. */
function stopsGateway({ code }: GraphError): boolean {
  const throttle = code === undefined ? undefined : findTreatment(code)?.throttle;
  return throttle?.scope === 'gateway' && throttle.alarm !== undefined;
}

function accepted(messageId: string, messages: unknown): SubmitOutcome {
  const wamid = textOf(asObject(listOf(messages)[0])?.['id']);
  if (wamid === undefined) return { messageId, result: 'unconfirmed' };
  return { messageId, result: 'accepted', gatewayMessageIds: [wamid] };
}

function throttled(
  messageId: string,
  scope: 'message' | 'sender' | 'gateway',
  retryAfterMs: number,
  reason: string,
): SubmitOutcome {
  return { messageId, result: 'throttled', scope, retryAfterMs: Math.ceil(retryAfterMs), reason };
}
