import type { GatewayReport } from '@signalbox/domain/routing/submit-outcome';
import type { RefusalCounter } from '../refusal-counter.ts';
import type { Clock } from './clock.ts';
import type { IdWriter } from '../id-writer.ts';
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
  faults: RefusalCounter;
  ids: IdWriter;
  /** Stores the ids of the segments that were taken of a refused message: no single one of them decides on it. */
  storesRefused: boolean;
  /** Reports how a message ended whose outcome was unconfirmed. */
  reportLate: (report: GatewayReport) => void;
  /** Logs a refusal that a person has to act on. */
  alarm: (status: number) => void;
}
