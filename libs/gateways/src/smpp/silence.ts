import { type Clock, timeAfter } from './clock.ts';

/** Time for which an SMSC that answers no message gets none. */
const HOLD_MS = 30_000;

/** `held` gets nothing, `testable` gets the next message, and `tested` has it. */
export type SilencePhase = 'answering' | 'held' | 'testable' | 'tested';

/**
 * Follows whether the SMSC of a gateway answers messages. One that leaves a message without an answer, and has answered
 * no other one since that was sent, is silent: it gets nothing for 30 s, and then one message at a time until it
 * answers one.
 */
export class Silence {
  phase: SilencePhase = 'answering';
  /** The time of day at which the next message is sent, while the phase is `held`. */
  retryAt = '';
  private answeredAt = Number.NEGATIVE_INFINITY;
  private cancel: () => void = () => undefined;

  /** @param onChange is called when the phase has changed */
  constructor(
    private readonly clock: Clock,
    private readonly onChange: () => void,
  ) {}

  /** Records the answer to a message, whatever it says. */
  noteAnswer(): void {
    this.answeredAt = this.clock.now();
    this.cancel();
    this.move('answering');
  }

  /** Records a message whose time for an answer has ended. */
  noteTimeout(sentAt: number): void {
    if (this.phase === 'answering' && this.answeredAt <= sentAt) this.hold();
  }

  /** Begins a test, which the caller ends. */
  beginTest(): void {
    this.move('tested');
  }

  /** Without an answer the next test is 30 s later. */
  endTest(): void {
    if (this.phase === 'tested') this.hold();
  }

  close(): void {
    this.cancel();
  }

  private hold(): void {
    this.cancel();
    this.retryAt = timeAfter(HOLD_MS);
    this.cancel = this.clock.after(HOLD_MS, () => this.move('testable'));
    this.move('held');
  }

  private move(phase: SilencePhase): void {
    if (this.phase === phase) return;
    this.phase = phase;
    this.onChange();
  }
}

/** Describes a silent SMSC, without a full stop. */
export function describeSilentSmsc({ phase, retryAt }: Silence, responseMs: number): string {
  const next = {
    answering: '',
    held: `it is tried again with one message at ${retryAt}`,
    testable: 'the next message tries it again',
    tested: 'one message tries it now',
  }[phase];
  return `The SMSC takes messages and answered none of them within ${responseMs / 1_000} s: ask its operator whether the account may submit; ${next}`;
}
