import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import { CLOUD_API_ERRORS } from '../errors/cloud-api.ts';
import { errCodeOf } from '../errors/error-table.ts';
import { RefusalCounter } from '../refusal-counter.ts';
import type { GraphError } from './error.ts';
import { type Throttle, findTreatment } from './treatments.ts';

/** Unknown errors that Meta calls transient, and faults of its servers, are tried like codes 1 and 2. */
const TRANSIENT: Throttle = { scope: 'message', retryAfterMs: 5_000, attempts: 3 };

/** A pair waits 4, 16, 64 seconds and so on, as Meta asks. */
const MAX_PAIR_STEPS = 5;

/** The outcome of a refused send, and the throttle that it is, if it is one. */
export interface Refusal {
  outcome: SubmitOutcome;
  throttle?: Throttle;
}

/** Decides on sends that the API refused. */
export class Refusals {
  private readonly faults = new RefusalCounter();
  private readonly pairs = new RefusalCounter();

  judge(messageId: string, status: number, error: GraphError): Refusal {
    const throttle = isKnown(error) ? findTreatment(error.code)?.throttle : transientThrottle(status, error);
    const isOver = throttle?.attempts !== undefined && this.faults.count(messageId) >= throttle.attempts;
    if (!throttle || isOver) return { outcome: rejection(messageId, error, throttle !== undefined) };
    const refusals = throttle.scope === 'pair' ? this.pairs.count(messageId) : 1;
    return throttled(messageId, error, throttle, refusals);
  }
}

function throttled(messageId: string, error: GraphError, throttle: Throttle, refusals: number): Refusal {
  return {
    throttle,
    outcome: {
      messageId,
      result: 'throttled',
      scope: throttle.scope,
      retryAfterMs: throttle.retryAfterMs * 4 ** Math.min(refusals - 1, MAX_PAIR_STEPS),
      reason: describe(error),
    },
  };
}

function transientThrottle(status: number, { isTransient }: GraphError): Throttle | undefined {
  return isTransient || status >= 500 ? TRANSIENT : undefined;
}

function rejection(messageId: string, error: GraphError, wasTransient: boolean): SubmitOutcome {
  const isUnknown = !isKnown(error);
  return {
    messageId,
    result: 'rejected',
    errCode: isUnknown && wasTransient ? '006' : errCodeOf(CLOUD_API_ERRORS, error.code),
    description: error.description,
    ...(error.code !== undefined && { gatewayCode: String(error.code) }),
    ...(error.code !== undefined && findTreatment(error.code)?.tryOther && { tryOther: true }),
  };
}

function isKnown(error: GraphError): error is GraphError & { code: number } {
  return error.code !== undefined && Object.hasOwn(CLOUD_API_ERRORS, String(error.code));
}

function describe({ code, description }: GraphError): string {
  return code === undefined ? description : `${code}: ${description}`;
}
