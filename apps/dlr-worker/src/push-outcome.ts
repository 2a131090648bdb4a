import type { PushOutcome } from '@signalbox/database/webhooks/pushes';
import type { PushResult } from '@signalbox/gateways/webhook-client';
import type { PushWork } from './push-call.ts';

/** How much of a failed call's answer is kept, in characters. */
const KEPT_ANSWER_LENGTH = 4_096;

/** How a call went. */
export type Called = Omit<PushResult, 'error'> & {
  error: string | null;
  requestHeaders: Record<string, string>;
};

/** A push that could not even be rendered was a call of a kind. */
export const UNRENDERABLE: Called = {
  ok: false,
  status: null,
  error: 'unrenderable',
  gone: false,
  durationMs: 0,
  timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null },
  answer: '',
  requestHeaders: {},
};

type Tried = Called | null;

/** The outcome of a push that needs no further call. */
export function ended(
  work: PushWork,
  status: 'DELIVERED' | 'EXHAUSTED',
  attempts: number,
  tried: Tried,
  error: string | null,
): PushOutcome {
  return { ...outcomeOf(work, attempts, tried, error), status, nextDelayMs: null };
}

/** The outcome of a push that is due, again or at last, after `delayMs`. */
export function waiting(
  work: PushWork,
  attempts: number,
  delayMs: number,
  tried: Tried,
  error: string | null,
): PushOutcome {
  return { ...outcomeOf(work, attempts, tried, error), status: 'WAITING', nextDelayMs: Math.round(delayMs) };
}

function outcomeOf(
  { report, target }: PushWork,
  attempts: number,
  tried: Tried,
  error: string | null,
): Omit<PushOutcome, 'status' | 'nextDelayMs'> {
  const hasFailed = tried !== null && !tried.ok;
  return {
    reportId: report.reportId,
    webhookId: target.id,
    accountId: report.accountId,
    attempts,
    responseStatus: tried?.status ?? null,
    error,
    durationMs: tried ? Math.round(tried.durationMs) : null,
    timings: (tried ?? UNRENDERABLE).timings,
    answer: hasFailed ? keptPart(tried.answer) : '',
    requestHeaders: hasFailed ? withoutSignature(tried.requestHeaders) : null,
    failedAttempt: hasFailed,
  };
}

/** Whole characters, and none that Postgres refuses. */
function keptPart(answer: string): string {
  return answer.slice(0, KEPT_ANSWER_LENGTH).toWellFormed().replaceAll('\u0000', '');
}

/** Who could read the signature could send the same report again. */
function withoutSignature(headers: Record<string, string>): Record<string, string> {
  return { ...headers, 'webhook-signature': 'v1,***' };
}
