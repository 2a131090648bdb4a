import type { NewInbound } from '@signalbox/database/chat/inbound-messages';
import { parseStopWord } from '@signalbox/domain/chat/stop-word';
import { timeOf } from '@signalbox/domain/id-time';
import { parseMessageId } from '@signalbox/domain/message-id';
import { clampInstant, toStorableText } from '@signalbox/domain/sanitize';
import type { GatewayInbound } from '@signalbox/gateways/callback-format';

/** Converts a message that a recipient wrote to what is stored; none when its writer is not known. */
export function toNewInbound(gateway: string, id: string, message: GatewayInbound): NewInbound[] {
  const { from, userId, to, kind, replyTo, replyToGatewayId } = message;
  const writer = from ?? userId;
  if (writer === undefined) return [];
  const receivedAt = timeOf(id);
  return [
    {
      id,
      gateway,
      gatewayMessageId: toStorableText(message.gatewayMessageId),
      from: writer,
      userId,
      to,
      kind,
      content: storableContent(message),
      replyTo: replyTo === null ? null : (parseMessageId(replyTo) ?? null),
      replyToGatewayId: replyToGatewayId === undefined ? undefined : toStorableText(replyToGatewayId),
      sentAt: clampInstant(message.sentAt, receivedAt),
      receivedAt,
      consent: parseStopWord(wordOf(message), 'chatapp') ?? null,
    },
  ];
}

function storableContent({ content }: GatewayInbound): Record<string, unknown> {
  const text = asText(content['text']);
  return text === undefined ? content : { text: { body: toStorableText(text) } };
}

/** Returns what the writer wrote or tapped: a text, or the title of a button. */
function wordOf({ content: { text, button, interactive } }: GatewayInbound): string {
  const { button_reply } = (interactive ?? {}) as { button_reply?: unknown };
  return asText(text) ?? asText(button) ?? asText(button_reply) ?? '';
}

function asText(member: unknown): string | undefined {
  const { body, text, title } = (member ?? {}) as Record<string, unknown>;
  return [body, text, title].find((each) => typeof each === 'string');
}
