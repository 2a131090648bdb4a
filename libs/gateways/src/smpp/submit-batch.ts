import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import type { SubmitOptions } from '../gateway.ts';
import type { OutgoingSms } from '../sms-gateway.ts';
import { type FlightBatch, type FlightLimits, MessageFlight } from './message-flight.ts';
import type { SubmitContext } from './submit-context.ts';

/** Time for which a message waits for room and pace before it is throttled. */
const UNWRITTEN_MS = 5_000;
/** Time that a submit keeps of its deadline, so that timers that are late keep it too. */
const MARGIN_MS = 250;
/** Messages of a batch that are queued before they can be sent. The others cost nothing while they wait. */
const MAX_QUEUED = 50;

/** Submits messages and resolves with their outcomes, in order, before the deadline. Never rejects. */
export async function submitBatch(
  messages: OutgoingSms[],
  { deadlineMs, signal }: SubmitOptions,
  context: SubmitContext,
): Promise<SubmitOutcome[]> {
  const { clock } = context;
  const waitMs = Math.max(deadlineMs / 2, deadlineMs - MARGIN_MS);
  const unwrittenMs = Math.min(UNWRITTEN_MS, waitMs);
  const limits = { unwrittenAt: clock.now() + unwrittenMs, deadlineAt: clock.now() + waitMs };
  const batch = new SubmitBatch(messages, limits, context);
  const end = (): void => batch.end();
  const cancelUnwritten = clock.after(unwrittenMs, () => batch.endUnwritten());
  const cancelEnd = clock.after(waitMs, end);
  signal.addEventListener('abort', end, { once: true });
  for (let queued = 0; queued < MAX_QUEUED; queued += 1) batch.startNext();
  if (signal.aborted) end();
  const outcomes = await batch.settled;
  cancelUnwritten();
  cancelEnd();
  signal.removeEventListener('abort', end);
  return outcomes;
}

/** Messages that are submitted together. One that leaves the queue lets the next one in. */
class SubmitBatch implements FlightBatch {
  /** Resolves with the outcomes, in order. */
  readonly settled: Promise<SubmitOutcome[]>;
  private readonly resolve: (outcomes: SubmitOutcome[]) => void;
  private readonly outcomes: SubmitOutcome[];
  private readonly flights: MessageFlight[] = [];
  private left: number;
  private wanted = 0;
  private isStarting = false;

  constructor(
    private readonly messages: readonly OutgoingSms[],
    private readonly limits: FlightLimits,
    private readonly context: SubmitContext,
  ) {
    const { promise, resolve } = Promise.withResolvers<SubmitOutcome[]>();
    this.settled = promise;
    this.resolve = resolve;
    this.left = messages.length;
    this.outcomes = Array.from({ length: messages.length });
  }

  /** Queues one more message. One that ends immediately lets the next one in by the same loop. */
  startNext(): void {
    this.wanted += 1;
    if (this.isStarting) return;
    this.isStarting = true;
    for (; this.wanted > 0; this.wanted -= 1) if (this.hasMore) this.add().start();
    this.isStarting = false;
  }

  settle(position: number, outcome: SubmitOutcome): void {
    this.outcomes[position] = outcome;
    this.left -= 1;
    if (this.left === 0) this.resolve(this.outcomes);
  }

  /** Ends the messages of which nothing is written. */
  endUnwritten(): void {
    for (const flight of this.all()) flight.endUnwritten();
  }

  /** Ends all messages with what is known. */
  end(): void {
    for (const flight of this.all()) flight.end();
  }

  /** The flights of all messages, also of those that nothing has queued. */
  private all(): readonly MessageFlight[] {
    while (this.hasMore) this.add();
    return this.flights;
  }

  private get hasMore(): boolean {
    return this.flights.length < this.messages.length;
  }

  private add(): MessageFlight {
    const position = this.flights.length;
    const flight = new MessageFlight(this.messages[position]!, position, this.limits, this.context, this);
    this.flights.push(flight);
    return flight;
  }
}
