import { getOrInsert } from '@signalbox/domain/get-or-insert';
import { MIN_CALLS, type Tally, WINDOW_SECONDS } from '@signalbox/database/webhooks/endpoints';

/** Calls to one endpoint since its last tally. */
interface CallCounts {
  calls: number;
  failures: number;
  succeeded: boolean;
  failuresInRow: number;
  failingSince: number;
  probe: 'ok' | 'failed' | null;
  since: number;
  isTroubled: boolean;
}

/**
 * Counts the calls of this process to each endpoint until they are stored. Successful calls are stored only together
 * with failures: an endpoint without failures costs no row.
 */
export class EndpointHealth {
  private readonly counts = new Map<string, CallCounts>();

  /**
   * Counts a call.
   *
   * @param isTroubled the database holds failures of the endpoint, which a success resets
   * @param isProbe the breaker was open, and let this call through
   * @returns true when the tally should be stored immediately
   */
  record(webhookId: string, ok: boolean, isTroubled: boolean, isProbe: boolean): boolean {
    const counts = getOrInsert(this.counts, webhookId, noCalls);
    counts.calls += 1;
    if (isProbe) counts.probe = ok ? 'ok' : 'failed';
    if (isTroubled || !ok) counts.isTroubled = true;
    if (ok) {
      counts.succeeded = true;
      counts.failuresInRow = 0;
    } else {
      counts.failures += 1;
      counts.failuresInRow += 1;
      if (counts.failuresInRow === 1) counts.failingSince = performance.now();
    }
    return isProbe || counts.failuresInRow === MIN_CALLS;
  }

  /** Removes and returns the tallies worth storing. */
  take(): Tally[] {
    const now = performance.now();
    const tallies: Tally[] = [];
    for (const [webhookId, counts] of this.counts) {
      if (counts.isTroubled) tallies.push(tallyOf(webhookId, counts, now));
      if (counts.isTroubled || now - counts.since > WINDOW_SECONDS * 1000) this.counts.delete(webhookId);
    }
    return tallies;
  }
}

function noCalls(): CallCounts {
  return {
    calls: 0,
    failures: 0,
    succeeded: false,
    failuresInRow: 0,
    failingSince: 0,
    probe: null,
    since: performance.now(),
    isTroubled: false,
  };
}

function tallyOf(webhookId: string, counts: CallCounts, now: number): Tally {
  const { failuresInRow, failingSince } = counts;
  return { ...counts, webhookId, failingForMs: failuresInRow > 0 ? Math.round(now - failingSince) : 0 };
}
