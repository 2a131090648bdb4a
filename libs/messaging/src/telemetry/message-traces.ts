import type { AppliedReport } from '@signalbox/database/reports/applied-report';
import { timeOf } from '@signalbox/domain/id-time';
import type { Lane } from '@signalbox/domain/lane';
import { messageId, messageKeyOf } from '@signalbox/domain/message-id';
import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import { firstSpanOf } from '@signalbox/runtime/trace-ids';
import { type EndedSpan, isTracing, traceSpan } from '@signalbox/runtime/tracing';

/** Links of one span, as exporters limit them. */
const MAX_LINKS = 128;

/** Traces the submit of a batch: one span for the gateway's work, linked with one in the trace of each send. */
export function traceSubmit(
  lane: Lane,
  gateway: string,
  startMs: number,
  outcomes: readonly SubmitOutcome[],
): void {
  if (!isTracing()) return;
  const bySend = Map.groupBy(outcomes, (outcome) => messageKeyOf(outcome)?.submissionId);
  const about = { 'signalbox.lane': lane, 'signalbox.gateway': gateway };
  const work = { kind: 'client', startMs, endMs: Date.now() } as const;
  const batch = traceBatch('submit batch', work, { ...about, 'signalbox.messages': outcomes.length }, [
    ...bySend.keys(),
  ]);
  for (const [submissionId, own] of bySend) {
    const accepted = own.filter(({ result }) => result === 'accepted').length;
    const attributes = { ...about, 'signalbox.messages': own.length, 'signalbox.accepted': accepted };
    const span = { ...work, name: 'submit', submissionId, attributes, isFailure: accepted < own.length };
    if (submissionId !== undefined) traceSpan({ ...span, links: batch ? [batch] : [] });
  }
}

/** Traces reports, each from its arrival until it has moved its message. */
export function traceReports(reports: readonly AppliedReport[], startMs: number): void {
  if (!isTracing() || reports.length === 0) return;
  const endMs = Date.now();
  const sends = new Set(reports.map(({ submissionId }) => submissionId));
  const count = { 'signalbox.reports': reports.length };
  const batch = traceBatch('apply reports', { kind: 'internal', startMs, endMs }, count, [...sends]);
  for (const { reportId, submissionId, n, status, gateway, errCode } of reports)
    traceSpan({
      name: 'report',
      kind: 'internal',
      startMs: timeOf(reportId).getTime(),
      endMs,
      submissionId,
      attributes: {
        'signalbox.message_id': messageId(submissionId, n),
        'signalbox.status': status,
        'signalbox.gateway': gateway,
        'signalbox.err_code': errCode,
      },
      links: batch ? [batch] : [],
      isFailure: status === 'FAILED',
    });
}

/** A call of a webhook that has ended. */
export interface TracedPush {
  webhookId: string;
  attempt: number;
  status: number | null;
  error: string | null;
  durationMs: number;
}

/** Traces the call of a push. */
export function tracePush(
  { submissionId, n }: Pick<AppliedReport, 'submissionId' | 'n'>,
  { webhookId, attempt, status, error, durationMs }: TracedPush,
): void {
  if (!isTracing()) return;
  const endMs = Date.now();
  traceSpan({
    name: 'push',
    kind: 'client',
    startMs: endMs - durationMs,
    endMs,
    submissionId,
    attributes: {
      'signalbox.message_id': messageId(submissionId, n),
      'signalbox.webhook_id': webhookId,
      'signalbox.attempt': attempt,
      ...(status !== null && { 'http.response.status_code': status }),
      ...(error !== null && { 'error.type': error }),
    },
    isFailure: error !== null,
  });
}

/** Traces work that several sends share, with a link to the first span of each. */
function traceBatch(
  name: string,
  work: Pick<EndedSpan, 'kind' | 'startMs' | 'endMs'>,
  attributes: EndedSpan['attributes'],
  sends: readonly (string | undefined)[],
): ReturnType<typeof traceSpan> {
  const known = sends.flatMap((id) => (id === undefined ? [] : [firstSpanOf(id)]));
  return traceSpan({ ...work, name, attributes, links: known.slice(0, MAX_LINKS) });
}
