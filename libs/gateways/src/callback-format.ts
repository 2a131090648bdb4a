import type { IncomingHttpHeaders } from 'node:http';
import type { GatewayReport } from '@signalbox/domain/routing/submit-outcome';

/** A message that a recipient wrote to a business number. */
export interface GatewayInbound {
  /** The gateway's id of the message; a repeat of the same id is the same message. */
  gatewayMessageId: string;
  /** Digits only. */
  from: string;
  /** The business number, digits only. */
  to: string;
  kind: 'text';
  content: { text: { body: string } };
  /** Id of the message that it replies to; null when it names none. */
  replyTo: string | null;
  sentAt: Date;
}

/** The contents of one callback. */
export interface ReadCallback {
  reports: GatewayReport[];
  inbound: GatewayInbound[];
  /** Explains to operators which entries cannot be read; null when all were. Shows no content. */
  problem: string | null;
}

/** The callbacks of one kind of gateway: their signature and their body. */
export interface CallbackFormat {
  /** Checks that the gateway, which alone shares `secret` with us, signed this body. */
  verify: (headers: IncomingHttpHeaders, body: Buffer, secret: string) => boolean;
  /** Never throws. Unreadable entries are named in `problem`; the rest are returned. */
  read: (body: Buffer) => ReadCallback;
}
