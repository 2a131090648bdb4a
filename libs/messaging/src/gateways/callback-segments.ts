import type { EntityManager } from '@signalbox/database/core/in-transaction';
import { closeInboundSets } from '@signalbox/database/gateways/inbound-segments';
import type { NewInboundSms } from '@signalbox/database/gateways/inbound-sms';
import type { GatewayInbound } from '@signalbox/gateways/callback-format';
import { type InboundSegment, toGatewayInbound } from '@signalbox/gateways/inbound-segments';
import { toInboundSms } from '../sms/inbound.ts';
import { addInboundSegments } from './inbound-join.ts';

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
  const complete = await addInboundSegments(db, all);
  await closeInboundSets(
    db,
    complete.flatMap((message) => message?.gatewayMessageId ?? []),
  );
  return all.flatMap(({ gateway, id }, i) => {
    const message = complete[i];
    return message ? [toInboundSms(gateway, id, toGatewayInbound(message))] : [];
  });
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
