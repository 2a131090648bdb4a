import type { ReportedStatus } from '@signalbox/domain/message-status';

/** A report that names its message by the gateway's id alone. */
export interface OrphanReport {
  gatewayMessageId: string;
  /** Digits only; null when the report names none. */
  recipient: string | null;
  /** Null for a report without a known state. */
  status: ReportedStatus | null;
  errCode: string;
  /** The code as the gateway gave it; null when it gave none. */
  gatewayCode: string | null;
  description: string;
  reportedAt: Date;
}

/** Keeps reports that match no message, and tries them again. */
export interface OrphanReports {
  keep(gateway: string, reports: OrphanReport[]): Promise<void>;
}
