import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import type { SubmitOptions } from '../gateway.ts';
import type { OutgoingSms } from '../sms-gateway.ts';
import { MessageFlight } from './message-flight.ts';
import type { SubmitContext } from './submit-context.ts';

/** Time for which a message waits for room and pace before it is throttled. */
const UNWRITTEN_MS = 5_000;
/** Time that a submit keeps of its deadline, so that timers that are late keep it too. */
const MARGIN_MS = 250;

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
  const outcomes: SubmitOutcome[] = Array.from({ length: messages.length });
  const settled = Promise.withResolvers<void>();
  let left = messages.length;
  const flights = messages.map(
    (message, i) =>
      new MessageFlight(message, limits, context, (outcome) => {
        outcomes[i] = outcome;
        left -= 1;
        if (left === 0) settled.resolve();
      }),
  );
  const end = (): void => flights.forEach((flight) => flight.end());
  const cancelUnwritten = clock.after(unwrittenMs, () => flights.forEach((flight) => flight.endUnwritten()));
  const cancelEnd = clock.after(waitMs, end);
  signal.addEventListener('abort', end, { once: true });
  for (const flight of flights) flight.start();
  if (signal.aborted) end();
  await settled.promise;
  cancelUnwritten();
  cancelEnd();
  signal.removeEventListener('abort', end);
  return outcomes;
}
