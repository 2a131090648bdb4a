import { MIN_CALLS, type Tally, WINDOW_SECONDS } from '@signalbox/database/webhooks/endpoints';

interface Page {
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
 * What this process sees of each end point, until it is told to the others. Calls that succeed are counted here and told only with
 * trouble: an end point that is well costs no row.
 */
export class HealthBook {
  private readonly pages = new Map<string, Page>();

  /**
   * @param isTroubled whether the others know of failures, which a success would end
   * @param isProbe whether the breaker was open, and let this call through to find out
   * @returns whether the others should know at once
   */
  note(webhookId: string, ok: boolean, isTroubled: boolean, isProbe: boolean): boolean {
    const page = this.pageOf(webhookId);
    page.calls += 1;
    if (isProbe) page.probe = ok ? 'ok' : 'failed';
    if (isTroubled || !ok) page.isTroubled = true;
    if (ok) {
      page.succeeded = true;
      page.failuresInRow = 0;
    } else {
      page.failures += 1;
      page.failuresInRow += 1;
      if (page.failuresInRow === 1) page.failingSince = Date.now();
    }
    return isProbe || page.failuresInRow === MIN_CALLS;
  }

  /** Takes what is worth telling. */
  take(): Tally[] {
    const now = Date.now();
    const tallies: Tally[] = [];
    for (const [webhookId, page] of this.pages) {
      if (page.isTroubled) tallies.push(tallyOf(webhookId, page, now));
      if (page.isTroubled || now - page.since > WINDOW_SECONDS * 1000) this.pages.delete(webhookId);
    }
    return tallies;
  }

  private pageOf(webhookId: string): Page {
    let page = this.pages.get(webhookId);
    if (!page) {
      const nothing = {
        calls: 0,
        failures: 0,
        succeeded: false,
        failuresInRow: 0,
        failingSince: 0,
        probe: null,
        isTroubled: false,
      };
      this.pages.set(webhookId, (page = { ...nothing, since: Date.now() }));
    }
    return page;
  }
}

function tallyOf(webhookId: string, page: Page, now: number): Tally {
  const { calls, failures, succeeded, failuresInRow, failingSince, probe } = page;
  return {
    webhookId,
    calls,
    failures,
    succeeded,
    failuresInRow,
    failingForMs: failuresInRow > 0 ? now - failingSince : 0,
    probe,
  };
}
