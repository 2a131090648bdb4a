import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import { CLOUD_API_ERRORS } from '../errors/cloud-api.ts';
import { errCodeOf } from '../errors/error-table.ts';
import { FAULT_WAITS_MS, RefusalCounter } from '../refusal-counter.ts';
import type { GraphError } from './error.ts';
import { type Throttle, findTreatment } from './treatments.ts';

/** Unknown errors that Meta calls transient, and faults of its servers, are tried like codes 1 and 2. */
const TRANSIENT: Throttle = { scope: 'message', retryAfterMs: FAULT_WAITS_MS[0]!, attempts: 3 };

/** The errCode of a fault of Meta. */
const FAULT = '006';

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
    const errCode = throttle && !isKnown(error) ? FAULT : errCodeOf(CLOUD_API_ERRORS, error.code);
    if (!throttle) return { outcome: rejection(messageId, error, errCode) };
    const { attempts, retryAfterMs } = throttle;
    if (attempts === undefined) {
      const refusals = throttle.scope === 'pair' ? this.pairs.count(messageId) : 1;
      const waitMs = retryAfterMs * 4 ** Math.min(refusals - 1, MAX_PAIR_STEPS);
      return { throttle, outcome: throttled(messageId, error, throttle.scope, waitMs) };
    }
    const faults = this.faults.count(messageId);
    if (faults >= attempts) return { outcome: rejection(messageId, error, errCode) };
    const outcome = throttled(messageId, error, throttle.scope, FAULT_WAITS_MS[faults - 1] ?? retryAfterMs);
    return { throttle, outcome: { ...outcome, ...(errCode === FAULT && { isFault: true }) } };
  }
}

function throttled(
  messageId: string,
  error: GraphError,
  scope: Throttle['scope'],
  retryAfterMs: number,
): Extract<SubmitOutcome, { result: 'throttled' }> {
  return { messageId, result: 'throttled', scope, retryAfterMs, reason: describe(error) };
}

function transientThrottle(status: number, { isTransient }: GraphError): Throttle | undefined {
  return isTransient || status >= 500 ? TRANSIENT : undefined;
}

function rejection(messageId: string, error: GraphError, errCode: string): SubmitOutcome {
  const { code, description } = error;
  const tryOther = errCode === FAULT || (code !== undefined && findTreatment(code)?.tryOther === true);
  return {
    messageId,
    result: 'rejected',
    errCode,
    description,
    ...(code !== undefined && { gatewayCode: String(code) }),
    ...(tryOther && { tryOther }),
  };
}

function isKnown(error: GraphError): error is GraphError & { code: number } {
  return error.code !== undefined && Object.hasOwn(CLOUD_API_ERRORS, String(error.code));
}

function describe({ code, description }: GraphError): string {
  return code === undefined ? description : `${code}: ${description}`;
}
