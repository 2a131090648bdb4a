import type { ReportStatus } from '@signalbox/domain/message-status';
import { takesOf } from '@signalbox/domain/routing/gateway-health';
import type { GatewayState } from '@signalbox/gateways/gateway';
import { Gauge, Histogram } from 'prom-client';

const labelNames = ['gateway'] as const;

const up = new Gauge({
  name: 'signalbox_gateway_up',
  help: '1 for a gateway that takes messages in this process, also before its first one, 0 for one that does not',
  labelNames,
});

const bound = new Gauge({
  name: 'signalbox_gateway_bound',
  help: 'Binds of an SMPP gateway that are up in this process',
  labelNames,
});

const roomy = new Gauge({
  name: 'signalbox_gateway_window',
  help: 'Segments that an SMPP gateway may leave without an answer, on all binds of this process',
  labelNames,
});

const inFlight = new Gauge({
  name: 'signalbox_gateway_in_flight',
  help: 'Segments without an answer on all binds of this process',
  labelNames,
});

const throttled = new Gauge({
  name: 'signalbox_gateway_throttled',
  help: '1 while a gateway makes this process send slower than its setting says',
  labelNames,
});

const unconfirmed = new Gauge({
  name: 'signalbox_gateway_unconfirmed',
  help: 'Messages without an answer and without a report, by gateway, counted up to 10,000',
  labelNames,
});

const lag = new Histogram({
  name: 'signalbox_gateway_report_lag_seconds',
  help: 'Time from the instant that a final report names to its arrival, by gateway',
  labelNames,
  buckets: [1, 5, 30, 120, 600, 3_600, 21_600],
});

/** Sets the gauges of this process's gateways, and removes those of closed ones. */
export function showGateways(gateways: readonly { name: string; state: GatewayState }[]): void {
  for (const gauge of [up, bound, roomy, inFlight, throttled]) gauge.reset();
  for (const { name: gateway, state } of gateways) {
    const { detail } = state;
    up.set({ gateway }, takesOf(state) === 'any' ? 1 : 0);
    if ('throttled' in detail) throttled.set({ gateway }, detail['throttled'] ? 1 : 0);
    if (typeof detail['bound'] !== 'number') continue;
    bound.set({ gateway }, detail['bound']);
    roomy.set({ gateway }, detail['bound'] * Number(detail['window'] ?? 0));
    inFlight.set({ gateway }, Number(detail['inFlight'] ?? 0));
  }
}

/** Shows the number of unconfirmed messages of each gateway. */
export function showUnconfirmed(counts: readonly { gateway: string; count: number }[]): void {
  unconfirmed.reset();
  for (const { gateway, count } of counts) unconfirmed.set({ gateway }, count);
}

/** Observes the lag of final reports; 0 for a report from a clock that is ahead. */
export function observeLag(
  gateway: string,
  reports: readonly { status: ReportStatus; reportedAt: Date }[],
): void {
  for (const { status, reportedAt } of reports) {
    const seconds = (Date.now() - Number(reportedAt)) / 1_000;
    // A report with an invalid time is stored with the time of its arrival, which has no lag.
    const isKnown = Number.isFinite(seconds);
    if (isKnown && (status === 'DELIVERED' || status === 'FAILED'))
      lag.observe({ gateway }, Math.max(0, seconds));
  }
}
