import { setTimeout } from 'node:timers/promises';
import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import { ChatAppGateway, type OutgoingChatMessage } from '../chat-app-gateway.ts';
import type { GatewayState, MessageAddress, SubmitOptions } from '../gateway.ts';
import { within } from '../within.ts';
import { CHAT_SIMULATOR } from './chat-callback.ts';
import { type ChatScript, chatScript, chatScriptName } from './chat-script.ts';

const MIN_THROTTLE_MS = 50;

/** Limit for scheduling callbacks, well below the lease of claimed messages. */
const SCHEDULE_TIMEOUT_MS = 1_000;

/** One step of a script and its messages, which share one callback. */
export interface SimulatedStep {
  script: string;
  /** Counted from 0. */
  step: number;
  messageIds: string[];
}

/** Makes the callbacks of the simulated provider. Scheduled steps survive the process. */
export interface SimulatedCallbacks {
  /** Schedules steps, and the steps that follow them. @throws when they cannot be stored */
  schedule(steps: SimulatedStep[], delayMs: number): Promise<void>;
  /** Makes a step immediately and schedules the steps that follow it. */
  run(step: SimulatedStep): Promise<unknown>;
}

/**
 * Simulates a chat-app provider: nothing leaves the machine, and the last four digits of a recipient choose a script.
 * It keeps nothing in memory: a message is accepted once its callbacks are scheduled in the queue.
 */
export class ChatSimulatorGateway extends ChatAppGateway {
  readonly name = CHAT_SIMULATOR;
  private readonly closing = new AbortController();
  private current: GatewayState = {
    status: 'up',
    reason: 'It sends nothing, and makes the callbacks that the recipient chooses.',
    since: new Date(),
    detail: {},
  };

  /** @param delayMs between a submit and its first callback, and between callbacks */
  constructor(
    private readonly callbacks: SimulatedCallbacks,
    private readonly delayMs: number,
  ) {
    super();
  }

  /**
   * Throttles messages whose callbacks cannot be scheduled. An `unconfirmed` message delays the outcomes of its batch,
   * as a submit that times out does.
   */
  async submit(
    messages: OutgoingChatMessage[],
    { deadlineMs, signal }: SubmitOptions,
  ): Promise<SubmitOutcome[]> {
    if (this.closing.signal.aborted)
      return messages.map(({ messageId }) => this.throttled(messageId, 'gateway'));
    const accepted = messages.filter(({ recipient, attempt }) => attempt > scriptOf(recipient).throttled);
    const { early = [], later = [] } = Object.groupBy(accepted, ({ recipient }) =>
      scriptOf(recipient).early ? 'early' : 'later',
    );
    const unscheduled = new Set([
      ...(await this.start(early, (steps) => Promise.all(steps.map((step) => this.callbacks.run(step))))),
      ...(await this.start(later, (steps) => this.callbacks.schedule(steps, this.delayMs))),
    ]);
    if (later.some(({ recipient }) => scriptOf(recipient).answer === 'unconfirmed'))
      await within(deadlineMs, signal, this.pause());
    return messages.map(({ messageId, recipient, attempt }): SubmitOutcome => {
      const { throttled, answer } = scriptOf(recipient);
      if (unscheduled.has(messageId)) return this.throttled(messageId, 'gateway');
      if (attempt <= throttled) return this.throttled(messageId, 'message');
      return answer === 'accepted'
        ? { messageId, result: 'accepted', gatewayMessageIds: [] }
        : { messageId, result: 'unconfirmed' };
    });
  }

  /** Restarts the scripts: a repeated callback changes nothing. */
  async query(messages: MessageAddress[]): Promise<MessageAddress[]> {
    await this.callbacks.schedule(firstSteps(messages), 0);
    return [];
  }

  /** Does nothing: the simulated provider reports by callback. */
  onReports(): void {}

  /** Does nothing: the simulated provider brings replies by callback. */
  onInbound(): void {}

  state(): GatewayState {
    return this.current;
  }

  async close(): Promise<void> {
    if (!this.closing.signal.aborted)
      this.current = { ...this.current, status: 'closed', reason: 'It is closed.', since: new Date() };
    this.closing.abort();
  }

  private throttled(messageId: string, scope: 'message' | 'gateway'): SubmitOutcome {
    return { messageId, result: 'throttled', scope, retryAfterMs: Math.max(this.delayMs, MIN_THROTTLE_MS) };
  }

  /** Starts the scripts of messages. @returns ids of the messages whose first step failed or took too long */
  private async start(
    messages: readonly OutgoingChatMessage[],
    begin: (steps: SimulatedStep[]) => Promise<unknown>,
  ): Promise<string[]> {
    const steps = firstSteps(messages);
    if (steps.length === 0) return [];
    const waiting = new AbortController();
    const late = setTimeout(SCHEDULE_TIMEOUT_MS, false, { signal: waiting.signal }).catch(() => false);
    const done = begin(steps).then(
      () => true,
      () => false,
    );
    const isStarted = await Promise.race([done, late]);
    waiting.abort();
    return isStarted ? [] : messages.map(({ messageId }) => messageId);
  }

  private async pause(): Promise<void> {
    await setTimeout(this.delayMs, undefined, { signal: this.closing.signal }).catch(() => undefined);
  }
}

function scriptOf(recipient: string): ChatScript {
  return chatScript(chatScriptName(recipient));
}

/** Returns the first step of each script that the messages choose; a script without steps has none. */
function firstSteps(messages: readonly MessageAddress[]): SimulatedStep[] {
  const byScript = Map.groupBy(messages, ({ recipient }) => chatScriptName(recipient));
  return [...byScript]
    .filter(([script]) => chatScript(script).steps.length > 0)
    .map(([script, ofScript]) => ({
      script,
      step: 0,
      messageIds: ofScript.map(({ messageId }) => messageId),
    }));
}
