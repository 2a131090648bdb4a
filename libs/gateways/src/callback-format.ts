import type { IncomingHttpHeaders } from 'node:http';
import type { GatewayReport } from '@signalbox/domain/routing/submit-outcome';
import type { OrphanReport } from './orphan-reports.ts';
import type { ConsentChange, IdentityNotice, TemplateChange } from './provider-changes.ts';

/** A message that a recipient wrote to one of our numbers. */
export interface GatewayInbound {
  /** The gateway's id of the message; a repeat of the same id is the same message. */
  gatewayMessageId: string;
  /** Digits only; null when the gateway names its user by `userId` alone. */
  from: string | null;
  /** The gateway's id of a user, who may have no number. */
  userId?: string;
  /** Our number, digits only, or the sender as the gateway names it. */
  to: string;
  /** Kind of the message, such as `text` or `image`. */
  kind: string;
  /** The member named like the kind. */
  content: Record<string, unknown>;
  /** Id of the message that it replies to; null when it names none. */
  replyTo: string | null;
  /** The gateway's id of the message that it replies to, for gateways that do not know ours. */
  replyToGatewayId?: string;
  sentAt: Date;
  /** Of an SMS that the gateway hands over in segments; absent for a whole message. */
  segment?: InboundPart;
}

/** The place of a segment in its message. */
export interface InboundPart {
  /** The same for all segments of a message; from 0 to 2^31 - 1. */
  reference: number;
  /** Counted from 1. */
  position: number;
  total: number;
}

/** The contents of one callback. */
export interface ReadCallback {
  reports: GatewayReport[];
  inbound: GatewayInbound[];
  /** Explains to operators which entries cannot be read; null when all were. Shows no content. */
  problem: string | null;
  /** Reports that name a message by the gateway's id alone. Absent when there are none. */
  unresolved?: OrphanReport[];
  /** Changes of templates at the provider. Absent for gateways without templates. */
  templates?: TemplateChange[];
  /** Opt-outs that recipients stated to the provider. */
  consents?: ConsentChange[];
  /** Identities of recipients that belong together, or replace each other. */
  identities?: IdentityNotice[];
}

/** A callback as it arrived. */
export interface CallbackRequest {
  method: 'GET' | 'POST';
  /** The public address, from PUBLIC_URL, with the path and the query as received. */
  url: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** The callbacks of one gateway: their signature and their contents. Its secrets are bound when it is made. */
export interface CallbackFormat {
  /** Answers a subscription challenge; undefined for any other request. */
  challenge?(request: CallbackRequest): { status: number; body: string } | undefined;
  /** Checks that the gateway, which alone shares its secrets with us, made this request. */
  verify(request: CallbackRequest): boolean;
  /**
   * Returns the bytes to store for `read`, without secrets. By default the body of a POST and the query string of a
   * GET.
   */
  keep?(request: CallbackRequest): Buffer;
  /** The answer once the callback is stored; 200 and an empty body by default. */
  answer?: { status: number; contentType: string; body: string };
  /** Never throws. Unreadable entries are named in `problem`; the rest are returned. `body` is the stored bytes. */
  read(body: Buffer): ReadCallback;
}
