import type { SmsEncoding } from '@signalbox/domain/sms/parts';
import { Gateway, type OutgoingMessage } from './gateway.ts';

/** One SMS to submit. */
export interface OutgoingSms extends OutgoingMessage {
  text: string;
  /** Follows from the characters of the text and the caller's `unicode`; the same for every gateway. */
  encoding: SmsEncoding;
  /** 0 displays the text immediately and does not keep it (GSM 03.38, section 4). */
  messageClass: 0 | null;
  /** Ids of the template's registration with India's DLT. */
  dlt: { entityId: string | null; templateId: string | null } | null;
}

/** The port to an upstream that carries SMS. */
export abstract class SmsGateway extends Gateway<OutgoingSms> {}
