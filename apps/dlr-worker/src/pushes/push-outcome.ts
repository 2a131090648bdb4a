import type { PushOutcome } from '@signalbox/database/webhooks/pushes';
import type { PushResult } from '@signalbox/gateways/webhook-call';
import type { PendingPush } from './pending-push.ts';

/** Characters of a failed call's answer that are stored. */
const KEPT_ANSWER_LENGTH = 4_096;

/** Longest delay that can be stored. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Result of a call. */
export type CallResult = Omit<PushResult, 'error'> & {
  error: string | null;
  /** Alternating names and values; only of a failed call. */
  requestHeaders?: string[];
};

/** Result of a push that could not be rendered; it counts as an attempt. */
export const UNRENDERABLE: CallResult = {
  ok: false,
  status: null,
  error: 'unrenderable',
  gone: false,
  durationMs: 0,
  timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null },
  answer: '',
};

/** Outcome of a push that needs no further call. */
export function finalOutcome(
  push: PendingPush,
  status: 'DELIVERED' | 'EXHAUSTED',
  attempts: number,
  call: CallResult | null,
  error: string | null,
): PushOutcome {
  return buildOutcome(push, { status, nextDelayMs: null }, attempts, call, error);
}

/** Outcome of a push that is due after `delayMs`. */
export function waitingOutcome(
  push: PendingPush,
  attempts: number,
  delayMs: number,
  call: CallResult | null,
  error: string | null,
): PushOutcome {
  const nextDelayMs = Math.min(Math.round(delayMs), MAX_DELAY_MS);
  return buildOutcome(push, { status: 'WAITING', nextDelayMs }, attempts, call, error);
}

function buildOutcome(
  { report, target }: PendingPush,
  { status, nextDelayMs }: Pick<PushOutcome, 'status' | 'nextDelayMs'>,
  attempts: number,
  call: CallResult | null,
  error: string | null,
): PushOutcome {
  const hasFailed = call !== null && !call.ok;
  return {
    reportId: report.reportId,
    webhookId: target.id,
    accountId: report.accountId,
    status,
    attempts,
    nextDelayMs,
    responseStatus: call?.status ?? null,
    error,
    durationMs: call ? Math.round(call.durationMs) : null,
    timings: (call ?? UNRENDERABLE).timings,
    answer: hasFailed ? storedPart(call.answer) : '',
    requestHeaders: hasFailed ? storedHeaders(call.requestHeaders ?? []) : null,
    failedAttempt: hasFailed,
  };
}

/** Cuts an answer to whole characters, without those that Postgres refuses. */
function storedPart(answer: string): string {
  return answer.slice(0, KEPT_ANSWER_LENGTH).toWellFormed().replaceAll('\u0000', '');
}

/** Masks the signature: with it, a reader of the stored headers could repeat the call. */
function storedHeaders(sent: readonly string[]): Record<string, string> {
  const entries = sent.flatMap((name, i) => (i % 2 === 0 ? [[name, sent[i + 1] ?? ''] as const] : []));
  return { ...Object.fromEntries(entries), 'webhook-signature': 'v1,***' };
}
