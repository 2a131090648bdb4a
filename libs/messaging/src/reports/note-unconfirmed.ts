import { insertUnconfirmed } from '@signalbox/database/gateways/unconfirmed';
import type { RecordedSubmit } from '@signalbox/database/messages/submits';
import type { EntityManager } from 'typeorm';
import type { Channel } from '@signalbox/domain/channel';

/** Notes the unconfirmed messages among recorded submits, before they are recorded, so that each ends in time. */
export async function noteUnconfirmed(
  db: EntityManager,
  channel: Channel,
  gateway: string | null,
  submits: readonly RecordedSubmit[],
): Promise<void> {
  const unconfirmed = submits.filter(({ result }) => result === 'unconfirmed');
  if (unconfirmed.length > 0 && gateway !== null) await insertUnconfirmed(db, gateway, channel, unconfirmed);
}
