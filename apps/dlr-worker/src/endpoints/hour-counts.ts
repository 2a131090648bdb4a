import type { EndpointCalls } from '@signalbox/database/webhooks/endpoint-hours';

/** Counts the calls of this process to each endpoint until they are stored. */
export class HourCounts {
  private counts = new Map<string, EndpointCalls>();

  record(webhookId: string, ok: boolean): void {
    this.add({ webhookId, calls: 1, failures: ok ? 0 : 1 });
  }

  /** Removes and returns the counts, one entry per endpoint. */
  take(): EndpointCalls[] {
    const taken = [...this.counts.values()];
    this.counts = new Map();
    return taken;
  }

  /** Puts counts back that could not be stored. */
  restore(calls: readonly EndpointCalls[]): void {
    for (const each of calls) this.add(each);
  }

  private add({ webhookId, calls, failures }: EndpointCalls): void {
    const counted = this.counts.get(webhookId);
    if (!counted) this.counts.set(webhookId, { webhookId, calls, failures });
    else {
      counted.calls += calls;
      counted.failures += failures;
    }
  }
}
