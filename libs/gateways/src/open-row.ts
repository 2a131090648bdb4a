import type { Channel } from '@signalbox/domain/channel';

/** A gateway's row, with its settings read and its secrets opened. */
export interface OpenRow<Settings> {
  name: string;
  channel: Channel;
  settings: Settings;
  secrets: Record<string, string>;
  /** For all processes together; null for no limit. */
  ratePerSecond: number | null;
  /** The public address of its callbacks; null when PUBLIC_URL is not set. */
  callbackUrl: string | null;
}
