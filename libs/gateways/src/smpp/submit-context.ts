import type { GatewayReport } from '@signalbox/domain/routing/submit-outcome';
import type { Clock } from './clock.ts';
import type { IdWriter } from './id-writer.ts';
import type { SmppLink } from './link.ts';
import type { StatusTable } from './status-table.ts';
import type { EncodingSettings } from './text/encoding-settings.ts';
import type { SegmentReferences } from './text/segment-references.ts';

/** The parts of a gateway that its submits use. */
export interface SubmitContext {
  link: SmppLink;
  clock: Clock;
  encoding: EncodingSettings;
  references: SegmentReferences;
  statuses: StatusTable;
  faults: FaultCounter;
  ids: IdWriter;
  /** Stores the ids of the segments that were taken of a refused message: no single one of them decides on it. */
  storesRefused: boolean;
  /** Reports how a message ended whose outcome was unconfirmed. */
  reportLate: (report: GatewayReport) => void;
  /** Logs a refusal that a person has to act on. */
  alarm: (status: number) => void;
}

const MAX_COUNTED = 10_000;

/** Counts the faults that messages met at the gateway, for the latest 10,000 messages. */
export class FaultCounter {
  private readonly counts = new Map<string, number>();

  /** Counts one more. @returns the number of faults of this message */
  count(messageId: string): number {
    const count = (this.counts.get(messageId) ?? 0) + 1;
    this.counts.delete(messageId);
    this.counts.set(messageId, count);
    if (this.counts.size > MAX_COUNTED) this.counts.delete(this.counts.keys().next().value!);
    return count;
  }
}
