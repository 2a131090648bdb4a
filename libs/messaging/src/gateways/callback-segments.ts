import type { EntityManager } from '@signalbox/database/core/in-transaction';
import type { NewInboundSms } from '@signalbox/database/gateways/inbound-sms';
import type { GatewayInbound } from '@signalbox/gateways/callback-format';
import { type InboundSegment, toGatewayInbound } from '@signalbox/gateways/inbound-segments';
import { toInboundSms } from '../sms/inbound.ts';
import { addInboundSegment } from './inbound-join.ts';

/** A segment of an SMS in a callback, and the id of the message if it completes it. */
export interface CallbackSegment {
  id: string;
  message: GatewayInbound;
}

/** Stores the segments of callbacks, and returns the messages that they complete. */
export async function joinCallbackSegments(
  db: EntityManager,
  callbacks: readonly { gateway: string; segments: readonly CallbackSegment[] }[],
): Promise<NewInboundSms[]> {
  const all = callbacks.flatMap(({ gateway, segments }) =>
    segments.flatMap(({ id, message }) => {
      const segment = toSegment(message);
      return segment ? [{ gateway, id, segment }] : [];
    }),
  );
  const joined: NewInboundSms[] = [];
  // two workers that lock the same messages lock them in one order
  for (const { gateway, id, segment } of all.toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))) {
    const complete = await addInboundSegment(db, gateway, segment);
    if (complete) joined.push(toInboundSms(gateway, id, toGatewayInbound(complete)));
  }
  return joined;
}

function orderOf({ gateway, segment }: { gateway: string; segment: InboundSegment }): string {
  const { from, to, reference, total } = segment;
  return JSON.stringify([gateway, from, to, reference, total]);
}

function toSegment({
  gatewayMessageId,
  from,
  to,
  content,
  sentAt,
  segment,
}: GatewayInbound): InboundSegment | undefined {
  const { text } = content as { text?: { body?: unknown } };
  if (!segment || from === null || typeof text?.body !== 'string') return undefined;
  return { gatewayMessageId, from, to, text: text.body, referenceBits: 16, sentAt, ...segment };
}
