import { InMemorySpanExporter, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace';

/** A span as a collector gets it. */
export interface CollectedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentId: string | undefined;
  links: { traceId: string; spanId: string }[];
  attributes: object;
}

/** Collects exported spans in memory, also those that a shutdown exports. */
export function startCollector(): { exporter: SpanExporter; spans: () => CollectedSpan[] } {
  const memory = new InMemorySpanExporter();
  const collected: CollectedSpan[] = [];
  const exporter: SpanExporter = {
    export: (spans, done) => {
      collected.push(...spans.map(toCollected));
      memory.export(spans, done);
    },
    shutdown: () => memory.shutdown(),
  };
  return { exporter, spans: () => collected };
}

function toCollected(span: ReadableSpan): CollectedSpan {
  const { traceId, spanId } = span.spanContext();
  return {
    name: span.name,
    traceId,
    spanId,
    parentId: span.parentSpanContext?.spanId,
    links: span.links.map(({ context }) => ({ traceId: context.traceId, spanId: context.spanId })),
    attributes: span.attributes,
  };
}
