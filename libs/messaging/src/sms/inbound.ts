import type { StoredInbounds } from '@signalbox/database/chat/inbound-messages';
import type { EntityManager } from '@signalbox/database/core/in-transaction';
import { type NewInboundSms, insertInboundSms } from '@signalbox/database/gateways/inbound-sms';
import { type NewOrphan, insertOrphans } from '@signalbox/database/gateways/orphans';
import { parseStopWord } from '@signalbox/domain/chat/stop-word';
import { timeOf } from '@signalbox/domain/id-time';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import { clampInstant, toStorableText } from '@signalbox/domain/sanitize';
import type { GatewayInbound } from '@signalbox/gateways/callback-format';

/** Makes an inbound SMS storable, whatever its texts contain. Its id says when it came. */
export function toInboundSms(gateway: string, id: string, message: GatewayInbound): NewInboundSms {
  const receivedAt = timeOf(id);
  const text = toStorableText(textOf(message.content));
  return {
    id,
    gateway,
    gatewayMessageId: toStorableText(message.gatewayMessageId),
    from: toAddress(message.from ?? message.userId ?? ''),
    to: toAddress(message.to),
    text,
    sentAt: clampInstant(message.sentAt, receivedAt),
    receivedAt,
    consent: parseStopWord(text, 'sms') ?? null,
  };
}

/** Stores inbound SMS. Those to a number that no account owns are kept as orphans. */
export async function storeInboundSms(db: EntityManager, messages: NewInboundSms[]): Promise<StoredInbounds> {
  const stored = await insertInboundSms(db, messages);
  const unowned = new Set(stored.unowned);
  await insertOrphans(db, messages.filter(({ id }) => unowned.has(id)).map(toOrphan));
  return stored;
}

/** Reads the inbound SMS that an orphan keeps. */
export function keptInboundSms(content: object): NewInboundSms {
  const kept = content as Omit<NewInboundSms, 'sentAt' | 'receivedAt'> & {
    sentAt: string;
    receivedAt: string;
  };
  return { ...kept, sentAt: new Date(kept.sentAt), receivedAt: new Date(kept.receivedAt) };
}

function toOrphan(message: NewInboundSms): NewOrphan {
  return {
    id: message.id,
    gateway: message.gateway,
    kind: 'inbound',
    gatewayMessageId: message.gatewayMessageId,
    wakeId: message.gatewayMessageId,
    recipient: message.to,
    status: null,
    errCode: '000',
    gatewayCode: null,
    description: 'No account owns the number.',
    content: message,
    reportedAt: message.sentAt,
  };
}

/** Returns the digits of a phone number; a name or a short code unchanged. */
function toAddress(address: string): string {
  return toStorableText(parseMsisdn(address) ?? address.trim());
}

function textOf({ text }: Record<string, unknown>): string {
  const body = typeof text === 'object' && text !== null && 'body' in text ? text.body : '';
  return typeof body === 'string' ? body : '';
}
