import type { Channel } from '@signalbox/domain/channel';

/** The `type` of a send on the wire: the lane of an SMS, the kind of a chat-app message. */
export function wireType({ channel, kind, lane }: { channel: Channel; kind: string; lane: string }): string {
  return channel === 'sms' ? lane : kind;
}
