import type { IncomingHttpHeaders } from 'node:http';
import type { GatewayReport } from '@signalbox/domain/routing/submit-outcome';

/** What a recipient wrote to a business number, as its provider tells. */
export interface GatewayInbound {
  /** The provider's id of it: told twice, it is the same message. */
  gatewayMessageId: string;
  /** Digits only. */
  from: string;
  /** The business number, digits only. */
  to: string;
  kind: 'text';
  content: { text: { body: string } };
  /** The message of ours that it answers; null when it names none. */
  replyTo: string | null;
  sentAt: Date;
}

/** What one callback says. */
export interface ReadCallback {
  reports: GatewayReport[];
  inbound: GatewayInbound[];
  /** Why the callback, or a part of it, cannot be read, for operators; null when all of it was. It shows no content. */
  problem: string | null;
}

/** How a provider calls back. */
export interface CallbackFormat {
  /** Whether a callback comes from the provider: it alone knows the secret. */
  verify: (headers: IncomingHttpHeaders, body: Buffer, secret: string) => boolean;
  /** Reads a body, whatever it holds: what of it cannot be read is a problem, and keeps out nothing else. */
  read: (body: Buffer) => ReadCallback;
}
