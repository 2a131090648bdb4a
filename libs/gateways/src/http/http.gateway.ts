import type { SubmitOutcome, ThrottleScope } from '@signalbox/domain/routing/submit-outcome';
import type {
  GatewayState,
  MessageAddress,
  ReceiveInbound,
  ReceiveReports,
  SubmitOptions,
} from '../gateway.ts';
import type { GatewayHost } from '../gateway-host.ts';
import { IdWriter } from '../id-writer.ts';
import { RefusalCounter } from '../refusal-counter.ts';
import { SYSTEM_CLOCK } from '../smpp/clock.ts';
import { type OutgoingSms, SmsGateway } from '../sms-gateway.ts';
import type { PushResult } from '../webhook-call.ts';
import { WebhookClient } from '../webhook-client.ts';
import { within } from '../within.ts';
import type { AnswerOutcome } from './answer-reader.ts';
import { CallSlots } from './call-slots.ts';
import { describeSilence, describeUnreachable } from './failures.ts';
import { Health, type Moved } from './health.ts';
import type { HttpPlan } from './plan.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const UNREACHABLE_WAIT_MS = 2_000;
const FORBIDDEN_WAIT_MS = 30_000;
const DEFAULT_WAIT_MS = 1_000;
/** A submit has 30 s: a request never gets more. */
const MAX_TIMEOUT_MS = 29_000;
/** Milliseconds between the end of a request and its deadline. */
const MARGIN_MS = 20;
const MIN_REST_MS = 5;

type Accepted = Extract<AnswerOutcome, { result: 'accepted' }>;

/** Times by `performance.now()` that the messages of a submit share. */
interface Times {
  /** Latest begin of a request: a later one might be written and then cut off, and leave its message unconfirmed. */
  startBy: number;
  deadline: number;
}

/** Settings of the adapter that are no data of the vendor. */
export interface HttpGatewayOptions {
  name: string;
  ratePerSecond: number | null;
  timeoutMs: number;
  concurrency: number;
  allowPrivateNetwork: boolean;
  plan: HttpPlan;
  host: Pick<GatewayHost, 'logger' | 'ids'>;
}

/**
 * Submits SMS to an HTTP vendor, one request per message, as its settings describe. A message is `throttled` while
 * nothing of its request was written, and `unconfirmed` once something was and no answer says its outcome. Reports and
 * inbound messages arrive as callbacks.
 */
export class HttpGateway extends SmsGateway {
  readonly name: string;
  override readonly ratePerSecond: number | null;
  private readonly client: WebhookClient;
  private readonly health: Health;
  private readonly slots: CallSlots;
  private readonly faults = new RefusalCounter();
  private readonly ids: IdWriter;
  private closing: Promise<void> | undefined;

  constructor(private readonly options: HttpGatewayOptions) {
    super();
    this.name = options.name;
    this.ratePerSecond = options.ratePerSecond;
    this.health = new Health(options.plan.origin, SYSTEM_CLOCK.now, (moved) => this.logMove(moved));
    this.slots = new CallSlots(options.concurrency);
    this.ids = new IdWriter(
      (rows) => options.host.ids.insert(options.name, rows),
      SYSTEM_CLOCK,
      (error, rows) =>
        options.host.logger.warn({ gateway: options.name, error, rows }, 'gateway.ids_not_stored'),
    );
    this.client = new WebhookClient({
      allowPrivate: options.allowPrivateNetwork,
      connectionsPerOrigin: options.concurrency,
      connectTimeoutMs: Math.min(CONNECT_TIMEOUT_MS, options.timeoutMs),
      totalTimeoutMs: options.timeoutMs,
    });
  }

  submit(messages: OutgoingSms[], { deadlineMs, signal }: SubmitOptions): Promise<SubmitOutcome[]> {
    const deadline = performance.now() + deadlineMs;
    const startBy = deadline - MARGIN_MS - Math.min(this.options.timeoutMs, deadlineMs / 2);
    const times = { startBy, deadline };
    return Promise.all(messages.map((message) => this.submitOne(message, times, signal)));
  }

  override get canBeAsked(): boolean {
    return false;
  }

  /** Does nothing: vendors report by callback, and repeat it until it is stored. */
  query(_messages: MessageAddress[]): Promise<MessageAddress[]> {
    return Promise.resolve([]);
  }

  onReports(_receive: ReceiveReports): void {}

  onInbound(_receive: ReceiveInbound): void {}

  state(): GatewayState {
    return this.health.state(this.slots.inFlight);
  }

  close(): Promise<void> {
    this.health.noteClosed();
    this.closing ??= this.client.close().then(() => this.ids.close());
    return this.closing;
  }

  private async submitOne(message: OutgoingSms, times: Times, signal: AbortSignal): Promise<SubmitOutcome> {
    const { messageId } = message;
    try {
      const outcome = await this.attempt(message, times, signal);
      return { messageId, ...outcome };
    } catch (error) {
      this.options.host.logger.error({ gateway: this.name, messageId, error }, 'gateway.submit_failed');
      return { messageId, result: 'unconfirmed' };
    }
  }

  private async attempt(message: OutgoingSms, times: Times, signal: AbortSignal): Promise<AnswerOutcome> {
    const limitMs = times.startBy - performance.now();
    if (!(await this.slots.acquire(limitMs, signal, message.type === 'OTP')))
      return wait(DEFAULT_WAIT_MS, 'No connection was free in time.', 'message');
    try {
      const { heldMs, isProbe } = this.health.begin();
      if (heldMs > 0) return wait(heldMs, this.health.lastReason);
      const called = this.call(message, times, signal);
      return await (isProbe ? called.finally(() => this.health.endProbe()) : called);
    } finally {
      this.slots.release();
    }
  }

  private async call(
    message: OutgoingSms,
    { startBy, deadline }: Times,
    signal: AbortSignal,
  ): Promise<AnswerOutcome> {
    const now = performance.now();
    const timeoutMs = Math.min(this.options.timeoutMs, deadline - now - MARGIN_MS);
    if (now > startBy) return wait(DEFAULT_WAIT_MS, 'The deadline left no time for a request.', 'message');
    const request = this.options.plan.request(message, Date.now());
    const owner = { gateway: this.name };
    const result = await this.client.send({ ...request, owner, keepsAnswer: true, timeoutMs, signal });
    const outcome = this.read(result, message.messageId);
    const restMs = deadline - performance.now() - MIN_REST_MS;
    return outcome.result === 'accepted' ? this.keepIds(message, outcome, restMs, signal) : outcome;
  }

  private read(result: PushResult, messageId: string): AnswerOutcome {
    const { status, answer, retryAfterSeconds } = result;
    if (status === null) return this.readFailure(result);
    const { outcome, down } = this.options.plan.readAnswer(
      { status, body: answer, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) },
      () => this.faults.count(messageId),
    );
    if (outcome.result === 'throttled' && outcome.scope === 'gateway') {
      if (down !== undefined) this.noteDown(down, outcome.retryAfterMs);
      else this.health.hold(outcome.retryAfterMs);
    }
    if (outcome.result === 'unconfirmed' && status >= 500) this.health.noteServerError(status);
    else if (down === undefined) this.health.noteAnswer(status);
    return outcome;
  }

  private readFailure({ unsent, error }: PushResult): AnswerOutcome {
    const { origin } = this.options.plan;
    if (unsent !== true) {
      this.health.noteSilence(describeSilence(origin, error ?? '', this.options.timeoutMs < MAX_TIMEOUT_MS));
      return { result: 'unconfirmed' };
    }
    if (error === 'client_closed') return wait(DEFAULT_WAIT_MS, 'The submit was ended.', 'message');
    if (error === 'invalid_call')
      return {
        result: 'rejected',
        errCode: '013',
        description: 'The request of this message is no valid HTTP.',
      };
    if (error === 'endpoint_forbidden') {
      const reason = 'is a private address; if that is meant, set allowPrivateNetwork to true';
      this.noteDown(reason, FORBIDDEN_WAIT_MS);
      return wait(FORBIDDEN_WAIT_MS, `The address ${origin} ${reason}.`);
    }
    const reason = describeUnreachable(origin, error ?? '');
    this.health.noteUnreachable(reason, UNREACHABLE_WAIT_MS);
    return wait(UNREACHABLE_WAIT_MS, reason);
  }

  /** Logs the start of an outage and its end, however often the vendor is tried in between. */
  private logMove({ status, reason, isFault }: Moved): void {
    const { logger } = this.options.host;
    if (status === 'closed') return;
    if (isFault) logger.error({ gateway: this.name, reason }, 'gateway.down');
    else logger.info({ gateway: this.name, status, reason }, 'gateway.state_changed');
  }

  private noteDown(reason: string, ms: number): void {
    this.health.noteDown(`The address ${this.options.plan.origin} ${reason}.`, ms);
  }

  /**
   * Stores the ids that reports will name. Until then no report finds its message, so it counts as unconfirmed after the
   * deadline.
   */
  private async keepIds(
    { messageId, recipient }: OutgoingSms,
    outcome: Accepted,
    deadlineMs: number,
    signal: AbortSignal,
  ): Promise<AnswerOutcome> {
    const ids = outcome.gatewayMessageIds;
    if (!this.options.plan.keepsIds || ids.length === 0) return outcome;
    const rows = ids.map((gatewayMessageId, i) => ({
      gatewayMessageId,
      messageId,
      segment: i + 1,
      segments: ids.length,
      recipient,
    }));
    let isStored = false;
    const { promise: stored, resolve } = Promise.withResolvers<void>();
    this.ids.add(rows, () => {
      isStored = true;
      resolve();
    });
    await within(deadlineMs, signal, stored);
    return isStored ? outcome : { result: 'unconfirmed' };
  }
}

function wait(retryAfterMs: number, reason: string, scope: ThrottleScope = 'gateway'): AnswerOutcome {
  return { result: 'throttled', scope, retryAfterMs: Math.ceil(retryAfterMs), reason };
}
