import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import { type CloudApiError, type Throttle, findCloudApiError } from '../errors/cloud-api.ts';
import type { GraphError } from './error.ts';

/** Unknown errors that Meta calls transient, and faults of its servers, are tried like codes 1 and 2. */
const TRANSIENT: Throttle = { scope: 'message', retryAfterMs: 5_000, attempts: 3 };

const MAX_PAIR_STEPS = 5;

/** The outcome of a refused send, and the throttle that it is, if it is one. */
export interface Refusal {
  outcome: SubmitOutcome;
  throttle?: Throttle;
}

/** Decides on a send that the API refused. `attempt` is 1 for the first submit of the message. */
export function judgeRefusal(
  { messageId, attempt }: { messageId: string; attempt: number },
  status: number,
  error: GraphError,
): Refusal {
  const known = error.code === undefined ? undefined : findCloudApiError(error.code);
  const throttle = known ? known.throttle : transientThrottle(status, error);
  if (!throttle || (throttle.attempts !== undefined && attempt >= throttle.attempts))
    return { outcome: rejection(messageId, error, known, throttle !== undefined) };
  return {
    throttle,
    outcome: {
      messageId,
      result: 'throttled',
      scope: throttle.scope,
      retryAfterMs: delayOf(throttle, attempt),
      reason: describe(error),
    },
  };
}

function transientThrottle(status: number, { isTransient }: GraphError): Throttle | undefined {
  return isTransient || status >= 500 ? TRANSIENT : undefined;
}

function rejection(
  messageId: string,
  error: GraphError,
  known: CloudApiError | undefined,
  wasTransient: boolean,
): SubmitOutcome {
  return {
    messageId,
    result: 'rejected',
    errCode: known?.errCode ?? (wasTransient ? '006' : '099'),
    description: error.description,
    ...(error.code !== undefined && { gatewayCode: String(error.code) }),
    ...(known?.tryOther && { tryOther: true }),
  };
}

/** A pair waits 4, 16, 64 seconds and so on, as Meta asks. */
function delayOf({ scope, retryAfterMs }: Throttle, attempt: number): number {
  const steps = scope === 'pair' ? Math.min(attempt - 1, MAX_PAIR_STEPS) : 0;
  return retryAfterMs * 4 ** steps;
}

function describe({ code, description }: GraphError): string {
  return code === undefined ? description : `${code}: ${description}`;
}
