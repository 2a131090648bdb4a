import { CHANNELS, type Channel } from '@signalbox/domain/channel';

/** Names of the channels. */
export const CHANNEL_NAMES: Readonly<Record<Channel, string>> = { sms: 'SMS', chatapp: 'Chat app' };

/** Channels with their names, as the choices of a field. */
export const CHANNEL_CHOICES = CHANNELS.map((value) => ({ value, label: CHANNEL_NAMES[value] }));
