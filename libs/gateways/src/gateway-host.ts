import type { BindSlots } from './bind-slots.ts';
import type { GatewayIds } from './gateway-ids.ts';
import type { InboundSegments } from './inbound-segments.ts';
import type { OrphanReports } from './orphan-reports.ts';

type Log = (fields: object, event: string) => void;

/** Services that the process offers to its gateways. */
export interface GatewayHost {
  logger: { info: Log; warn: Log; error: Log };
  ids: GatewayIds;
  segments: InboundSegments;
  slots: BindSlots;
  orphans: OrphanReports;
  /** This process's share, over 0 and at most 1, of a limit that all processes share. */
  share(): number;
}
