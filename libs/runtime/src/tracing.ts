import type { SpanLink } from './trace-ids.ts';

/** A span that has ended. */
export interface EndedSpan {
  name: string;
  kind: 'server' | 'client' | 'internal';
  /** Epoch milliseconds. */
  startMs: number;
  endMs: number;
  /** The send whose trace it belongs to; without one it begins a trace, or continues that of `parent`. */
  submissionId?: string | undefined;
  /** True for the first span of a send: the others are its children. */
  isFirst?: boolean;
  parent?: SpanLink | undefined;
  attributes: Record<string, string | number | boolean>;
  links?: readonly SpanLink[];
  isFailure?: boolean;
}

/** Receives spans that have ended. */
export type SpanSink = (span: EndedSpan) => SpanLink;

let sink: SpanSink | undefined;

/** Sets the receiver of spans; undefined for none. */
export function setSpanSink(taker: SpanSink | undefined): void {
  sink = taker;
}

/** Is true while spans are exported. Where it is false, compose none. */
export function isTracing(): boolean {
  return sink !== undefined;
}

/** Hands a span that has ended to the exporter. @returns the span, for links to it; undefined without an exporter */
export function traceSpan(span: EndedSpan): SpanLink | undefined {
  return sink?.(span);
}
