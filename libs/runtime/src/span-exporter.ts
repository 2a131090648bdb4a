import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import type { Context, SpanContext, Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { AppConfig } from './app-config.ts';
import { type SpanLink, firstSpanOf } from './trace-ids.ts';
import { type EndedSpan, setSpanSink } from './tracing.ts';

/** Spans that wait for their export. Further ones are dropped, so that a collector that hangs costs no memory. */
const MAX_WAITING = 8_192;

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

/** Opens the exporter of the settings: OTLP over HTTP. */
export function openExporter({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_HEADERS: headers,
}: Pick<AppConfig, 'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_EXPORTER_OTLP_HEADERS'>): SpanExporter {
  const pairs = headers.split(',').flatMap((pair) => {
    const [name = '', ...value] = pair.split('=');
    return name === '' ? [] : [[name.trim(), decodeURIComponent(value.join('=').trim())]];
  });
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  return new OTLPTraceExporter({ url, headers: Object.fromEntries(pairs) as Record<string, string> });
}

/**
 * Exports the spans of this process. A trace is exported whole or not at all, by all processes alike: its id decides.
 *
 * @param share part of the traces to export, from 0 to 1
 * @returns exports the remaining spans, and stops
 */
export function exportSpans(app: string, exporter: SpanExporter, share: number): () => Promise<void> {
  const ids = new ChosenIds();
  const provider = new TracerProvider({
    sampler: new TraceIdRatioBasedSampler(share),
    idGenerator: ids,
    resource: resourceFromAttributes({ 'service.namespace': 'signalbox', 'service.name': app }),
    spanProcessors: [new BatchSpanProcessor({ exporter, maxQueueSize: MAX_WAITING })],
  });
  const tracer = provider.getTracer('signalbox');
  setSpanSink((span) => writeSpan(tracer, ids, span));
  return async () => {
    setSpanSink(undefined);
    await provider.shutdown();
  };
}

function writeSpan(tracer: Tracer, ids: ChosenIds, span: EndedSpan): SpanLink {
  const { submissionId, isFirst = false, parent, links = [] } = span;
  const first = submissionId === undefined ? undefined : firstSpanOf(submissionId);
  ids.next = isFirst ? first : undefined;
  const written = tracer.startSpan(
    span.name,
    {
      kind: KINDS[span.kind],
      startTime: span.startMs,
      attributes: span.attributes,
      links: links.map((link) => ({ context: toContext(link) })),
    },
    isFirst ? ROOT_CONTEXT : contextOf(first ?? parent),
  );
  if (span.isFailure) written.setStatus({ code: SpanStatusCode.ERROR });
  written.end(span.endMs);
  const { traceId, spanId } = written.spanContext();
  return { traceId, spanId };
}

function contextOf(parent: SpanLink | undefined): Context {
  return parent ? trace.setSpanContext(ROOT_CONTEXT, toContext(parent)) : ROOT_CONTEXT;
}

function toContext(span: SpanLink): SpanContext {
  return { ...span, traceFlags: TraceFlags.SAMPLED, isRemote: true };
}

/** Makes random ids, or those that are set. */
class ChosenIds implements IdGenerator {
  next: SpanLink | undefined;
  private readonly random = new RandomIdGenerator();

  generateTraceId(): string {
    return this.next?.traceId ?? this.random.generateTraceId();
  }

  generateSpanId(): string {
    return this.next?.spanId ?? this.random.generateSpanId();
  }
}
