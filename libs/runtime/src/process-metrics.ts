import { collectDefaultMetrics } from 'prom-client';

/** Each measurement wakes the process; the default of 10 ms was half of what an idle one costs. */
const LAG_PRECISION_MS = 40;

/**
 * Collects the metrics of Node: CPU, memory, garbage collection and the lag of the event loop. The quantiles of the lag
 * include LAG_PRECISION_MS.
 */
export function collectProcessMetrics(): void {
  collectDefaultMetrics({ eventLoopMonitoringPrecision: LAG_PRECISION_MS });
}
