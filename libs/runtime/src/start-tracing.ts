import type { AppConfig } from './app-config.ts';

/** The settings of traces. */
export type TracingConfig = Pick<
  AppConfig,
  'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_EXPORTER_OTLP_HEADERS' | 'OTEL_TRACES_SAMPLER_ARG'
>;

/**
 * Exports spans to the collector that the settings name. Without one nothing is loaded, and no span is composed.
 *
 * @returns exports the remaining spans, and stops
 */
export async function startTracing(app: string, config: TracingConfig): Promise<() => Promise<void>> {
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT === '') return async () => undefined;
  const { exportSpans, openExporter } = await import('./span-exporter.ts');
  return exportSpans(app, openExporter(config), config.OTEL_TRACES_SAMPLER_ARG);
}
