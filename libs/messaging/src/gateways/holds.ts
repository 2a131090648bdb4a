import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import { clampDelayMs } from '@signalbox/domain/sanitize';
import type { OutgoingMessage } from '@signalbox/gateways/gateway';

type Held = Pick<OutgoingMessage, 'sender' | 'recipient'>;
type Throttled = Extract<SubmitOutcome, { result: 'throttled' }>;

/** Above this number expired holds are removed. */
const SWEEP_AT = 10_000;

/** A gateway is asked again after this time, whatever delay it wanted. */
const MAX_HOLD_MS = 60_000;

/** Remembers which gateways, senders and pairs are throttled, so that they get no message before their time. */
export class Holds {
  private readonly until = new Map<string, number>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /**
   * Notes the throttled messages of one submit, each with its outcome at the same place. A gateway is held only when it
   * took none of the batch: while it takes some, its own throttling sets the pace.
   */
  note(gateway: string, messages: readonly Held[], outcomes: readonly SubmitOutcome[]): void {
    const isBlocked = outcomes.every(({ result }) => result === 'throttled');
    for (const [i, outcome] of outcomes.entries()) {
      if (outcome.result !== 'throttled') continue;
      const message = messages[i];
      const key = message && keyOf(gateway, message, outcome.scope);
      if (key !== undefined && (outcome.scope !== 'gateway' || isBlocked)) this.hold(key, outcome);
    }
    if (this.until.size > SWEEP_AT) this.sweep();
  }

  /** Milliseconds for which a gateway gets no message of this pair; 0 when it may have one. */
  heldMs(gateway: string, message: Held): number {
    if (this.until.size === 0) return 0;
    const ends = [
      keyOf(gateway, message, 'gateway'),
      keyOf(gateway, message, 'sender'),
      keyOf(gateway, message, 'pair'),
    ];
    return Math.max(0, ...ends.map((key) => (this.until.get(key ?? '') ?? 0) - this.now()));
  }

  /** Ends the holds of a gateway, which is open with other settings now. */
  endAll(gateway: string): void {
    for (const key of this.until.keys())
      if (key === gateway || key.startsWith(`${gateway} `)) this.until.delete(key);
  }

  private hold(key: string, { retryAfterMs }: Throttled): void {
    this.until.set(key, this.now() + Math.min(clampDelayMs(retryAfterMs), MAX_HOLD_MS));
  }

  private sweep(): void {
    for (const [key, until] of this.until) if (until <= this.now()) this.until.delete(key);
  }
}

/** Undefined for a throttle of one message, which holds nothing else. */
function keyOf(gateway: string, { sender, recipient }: Held, scope: Throttled['scope']): string | undefined {
  const keys = {
    gateway,
    sender: `${gateway} ${sender}`,
    pair: `${gateway} ${sender} ${recipient}`,
    message: undefined,
  };
  return keys[scope];
}
