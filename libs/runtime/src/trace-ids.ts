/** A span, in any trace. */
export interface SpanLink {
  traceId: string;
  spanId: string;
}

/**
 * Derives the first span of a send from its id, so that no process has to store or pass it on: the trace id is the
 * UUIDv7 without dashes, the id of the first span its last 16 digits.
 */
export function firstSpanOf(submissionId: string): SpanLink {
  const traceId = submissionId.replaceAll('-', '');
  return { traceId, spanId: traceId.slice(16) };
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;
const NONE = /^0+$/;

/** Reads a `traceparent` header (W3C Trace Context); undefined for none, and for an invalid one. */
export function readTraceparent(header: unknown): SpanLink | undefined {
  const [, traceId = '', spanId = ''] = (typeof header === 'string' && TRACEPARENT.exec(header)) || [];
  if (traceId === '' || NONE.test(traceId) || NONE.test(spanId)) return undefined;
  return { traceId, spanId };
}
