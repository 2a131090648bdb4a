import type { Channel } from '@signalbox/database/submissions/submissions';

/** The `type` that a message was sent with: of an SMS its lane, of a chat-app message its kind (spec 4.5, 4.8). */
export function wireType({ channel, kind, lane }: { channel: Channel; kind: string; lane: string }): string {
  return channel === 'sms' ? lane : kind;
}
