import type { GatewayInbound } from './callback-format.ts';

/** One segment of a message that a recipient wrote. */
export interface InboundSegment {
  gatewayMessageId: string;
  from: string;
  to: string;
  /** Of its text; the whole message when `total` is 1. */
  text: string;
  reference: number;
  /** 8 or 16 bits; segments of different widths never join. */
  referenceBits: 8 | 16;
  /** Counted from 1. */
  position: number;
  total: number;
  sentAt: Date;
}

/** An inbound message with all of its segments, or with those that came in time. */
export interface CompleteInbound {
  gatewayMessageId: string;
  from: string;
  to: string;
  text: string;
  isComplete: boolean;
  sentAt: Date;
}

/** Returns a joined message as gateways hand over whole ones. */
export function toGatewayInbound({ isComplete: _, text, ...message }: CompleteInbound): GatewayInbound {
  return { ...message, kind: 'text', content: { text: { body: text } }, replyTo: null };
}

/** Joins the segments of inbound messages across processes, in any order. */
export interface InboundSegments {
  /**
   * @returns the message that this segment completes; undefined while others are missing. A repeat returns it again
   */
  add(gateway: string, segment: InboundSegment): Promise<CompleteInbound | undefined>;
  /** Records that a message is stored. Until then it is handed over again, at the latest after half an hour. */
  end(message: CompleteInbound): Promise<void>;
}
