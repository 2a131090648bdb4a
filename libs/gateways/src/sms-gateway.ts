import type { SmsLane } from '@signalbox/domain/lane';
import type { SmsEncoding } from '@signalbox/domain/sms/parts';
import { Gateway, type OutgoingMessage } from './gateway.ts';

/** One SMS to submit. */
export interface OutgoingSms extends OutgoingMessage {
  type: SmsLane;
  text: string;
  /** Follows from the characters of the text and the caller's `unicode`; the same for every gateway. */
  encoding: SmsEncoding;
  /** Segments counted at acceptance, each of which costs one credit. */
  segments: number;
  /** 0 displays the text immediately and does not keep it (GSM 03.38, section 4). */
  messageClass: 0 | null;
  /** Ids of the template's registration with India's DLT. */
  dlt: { entityId: string | null; templateId: string | null } | null;
  /** Not delivered after this; null for the gateway's own limit. */
  expiresAt: Date | null;
}

/** The port to an upstream that carries SMS. */
export abstract class SmsGateway extends Gateway<OutgoingSms> {}
