import type { NamedMessage } from '@signalbox/domain/message-id';
import type { OrphanReport } from './orphan-reports.ts';

/** Characters of a gateway's id that are stored; an index holds no longer ones. */
export const MAX_GATEWAY_ID = 255;

/** Characters of a gateway's code that are stored. */
export const MAX_GATEWAY_CODE = 64;

/** The gateway's id of one segment of a message. */
export interface GatewayMessageId extends NamedMessage {
  gatewayMessageId: string;
  /** Counted from 1. */
  segment: number;
  segments: number;
  /** Digits only; settles equal ids. */
  recipient: string;
}

/** The report of one segment, named by the gateway's id. */
export interface SegmentReport extends OrphanReport {
  /** When it came, for a report that is not new: it is about no message that is younger. */
  receivedAt?: Date;
}

/** A message, and the last report of each of its segments; null for a segment without one. */
export interface MessageSegments extends NamedMessage {
  reports: (SegmentReport | null)[];
}

/** The durable map from gateways' ids to messages. It belongs to the gateway, not to a session or a process. */
export interface GatewayIds {
  /** Durable before it resolves. */
  insert(gateway: string, rows: GatewayMessageId[]): Promise<void>;
  /** Records reports of segments; resolves with all segments of each message, or undefined where no id matches. */
  report(gateway: string, reports: SegmentReport[]): Promise<(MessageSegments | undefined)[]>;
}
