import { Injectable } from '@nestjs/common';
import type { NamedCounts } from '@signalbox/database/gateways/health';
import { getOrInsert } from '@signalbox/domain/get-or-insert';
import type { ReportStatus } from '@signalbox/domain/message-status';
import { NO_COUNTS, isGatewayFault } from '@signalbox/domain/routing/gateway-health';
import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import { Counter } from 'prom-client';
import { observeLag } from './gateway-metrics.ts';

const submits = new Counter({
  name: 'signalbox_gateway_submits_total',
  help: 'Messages submitted to gateways, by gateway and outcome: accepted, rejected, throttled or unconfirmed',
  labelNames: ['gateway', 'outcome'],
});

/** Counts outcomes and final reports of gateways, for metrics and for the health that routes look at. */
@Injectable()
export class OutcomeCounts {
  private counts = new Map<string, NamedCounts>();

  /** Counts the outcomes of one submit. */
  countOutcomes(gateway: string, outcomes: readonly SubmitOutcome[]): void {
    const of = this.of(gateway);
    const counts = { accepted: 0, unconfirmed: 0, throttled: 0, rejected: 0 };
    for (const outcome of outcomes) {
      counts[outcome.result] += 1;
      if (speaksAgainst(outcome)) of.refused += 1;
    }
    of.accepted += counts.accepted;
    for (const [outcome, count] of Object.entries(counts))
      if (count > 0) submits.inc({ gateway, outcome }, count);
  }

  /** Counts the final ones of some reports. */
  countReports(
    gateway: string,
    reports: readonly { status: ReportStatus; errCode: string; reportedAt: Date }[],
  ): void {
    observeLag(gateway, reports);
    const of = this.of(gateway);
    for (const { status, errCode } of reports) {
      if (status === 'DELIVERED' || status === 'READ') of.delivered += 1;
      else if (status === 'FAILED' && isGatewayFault(errCode)) of.failed += 1;
    }
  }

  /** Returns the counts since the last call. */
  take(): NamedCounts[] {
    const taken = [...this.counts.values()];
    this.counts = new Map();
    return taken.filter(
      ({ accepted, refused, delivered, failed }) => accepted + refused + delivered + failed > 0,
    );
  }

  private of(gateway: string): NamedCounts {
    return getOrInsert(this.counts, gateway, () => ({ gateway, ...NO_COUNTS }));
  }
}

function speaksAgainst(outcome: SubmitOutcome): boolean {
  if (outcome.result === 'unconfirmed') return true;
  if (outcome.result === 'throttled') return outcome.isFault === true;
  return outcome.result === 'rejected' && isGatewayFault(outcome.errCode);
}
