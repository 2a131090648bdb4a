import { setTimeout } from 'node:timers/promises';
import { ChatAppGateway, type OutgoingChatMessage } from '../chat-app-gateway.ts';
import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import { CHAT_SIMULATOR } from './chat-callback.ts';
import { type ChatScript, chatScript, chatScriptName } from './chat-script.ts';

const MIN_THROTTLE_MS = 50;

/** Who remembers the callbacks may be stuck; a claim of messages lasts no longer than a few seconds. */
const PATIENCE_MS = 1_000;

/** One step of a script, for the messages that are at it: what the simulated provider calls back about at once. */
export interface SimulatedStep {
  script: string;
  /** From 0. */
  step: number;
  messageIds: string[];
}

/** What the simulated provider does beside answering submits. It outlives the process. */
export interface SimulatedCallbacks {
  /** Makes steps after a delay, and all that follow. @throws when it cannot be remembered */
  later(steps: SimulatedStep[], delayMs: number): Promise<void>;
  /** Makes a step at once, and later all that follow. */
  now(step: SimulatedStep): Promise<unknown>;
}

/**
 * The chat app of a machine without a provider: nothing leaves it, and the last four digits of a recipient choose what happens
 * (decisions, The simulator gateway). It keeps nothing in memory: a message is taken once its callbacks are remembered elsewhere.
 */
export class ChatSimulatorGateway extends ChatAppGateway {
  readonly name = CHAT_SIMULATOR;
  private readonly closing = new AbortController();

  /** @param delayMs between a submit and its first callback, and between callbacks */
  constructor(
    private readonly callbacks: SimulatedCallbacks,
    private readonly delayMs: number,
  ) {
    super();
  }

  /** What cannot be remembered now is throttled. One message that is unconfirmed holds up the answer of its batch, as a submit that times out does. */
  async submit(messages: OutgoingChatMessage[]): Promise<SubmitOutcome[]> {
    if (this.closing.signal.aborted) throw new Error('the simulator is closed');
    const taken = messages.filter(({ recipient, attempt }) => attempt > scriptOf(recipient).throttled);
    const { early = [], later = [] } = Object.groupBy(taken, ({ recipient }) =>
      scriptOf(recipient).early ? 'early' : 'later',
    );
    const lost = new Set([
      ...(await this.lostOf(early, (steps) => Promise.all(steps.map((step) => this.callbacks.now(step))))),
      ...(await this.lostOf(later, (steps) => this.callbacks.later(steps, this.delayMs))),
    ]);
    if (later.some(({ recipient }) => scriptOf(recipient).answer === 'unconfirmed')) await this.pause();
    return messages.map(({ messageId, recipient, attempt }): SubmitOutcome => {
      const { throttled, answer } = scriptOf(recipient);
      if (attempt <= throttled || lost.has(messageId)) {
        return { messageId, result: 'throttled', retryAfterMs: Math.max(this.delayMs, MIN_THROTTLE_MS) };
      }
      return { messageId, result: answer };
    });
  }

  /** Begins the scripts again: what is told twice is idle. */
  async query(messages: { messageId: string; recipient: string }[]): Promise<void> {
    await this.callbacks.later(firstSteps(messages), 0);
  }

  async close(): Promise<void> {
    this.closing.abort();
  }

  /** The ids of those messages whose first steps could not be set off, or not in time. */
  private async lostOf(
    messages: readonly OutgoingChatMessage[],
    setOff: (steps: SimulatedStep[]) => Promise<unknown>,
  ): Promise<string[]> {
    const steps = firstSteps(messages);
    if (steps.length === 0) return [];
    const waiting = new AbortController();
    const late = setTimeout(PATIENCE_MS, false, { signal: waiting.signal }).catch(() => false);
    const done = setOff(steps).then(
      () => true,
      () => false,
    );
    const isSetOff = await Promise.race([done, late]);
    waiting.abort();
    return isSetOff ? [] : messages.map(({ messageId }) => messageId);
  }

  private async pause(): Promise<void> {
    await setTimeout(this.delayMs, undefined, { signal: this.closing.signal }).catch(() => undefined);
  }
}

function scriptOf(recipient: string): ChatScript {
  return chatScript(chatScriptName(recipient));
}

/** The first step of each script that is among the messages; one without steps has none. */
function firstSteps(messages: readonly { messageId: string; recipient: string }[]): SimulatedStep[] {
  const byScript = Map.groupBy(messages, ({ recipient }) => chatScriptName(recipient));
  return [...byScript]
    .filter(([script]) => chatScript(script).steps.length > 0)
    .map(([script, ofScript]) => ({
      script,
      step: 0,
      messageIds: ofScript.map(({ messageId }) => messageId),
    }));
}
