import type { EntityManager } from '@signalbox/database/core/in-transaction';
import { isRefusedValue } from '@signalbox/database/core/refused-value';
import { insertInboundSms } from '@signalbox/database/gateways/inbound-sms';
import {
  type Orphan,
  claimDueOrphans,
  deleteOrphans,
  postponeOrphans,
} from '@signalbox/database/gateways/orphans';
import { REPORT_QUEUES } from '@signalbox/queues/definitions';
import { bisect } from '@signalbox/runtime/bisect';
import type { DutyContext } from '../maintenance/duty.ts';
import { keptInboundSms } from '../sms/inbound.ts';

const BATCH = 200;

/**
 * Stores the due inbound SMS of the orphan box whose numbers have an account by now, and postpones the others, and those
 * that the database refuses.
 *
 * @returns the number of messages tried
 */
export async function storeOrphanedSms({ db, queues, logger }: DutyContext): Promise<number> {
  const due = await claimDueOrphans(db, 'inbound', BATCH);
  const store = async (part: Orphan[]): Promise<void> => {
    const reportIds = await db.transaction((transaction) => storeOwned(transaction, part));
    queues.get(REPORT_QUEUES.OTHER).enqueue(reportIds);
  };
  const refused = due.length === 0 ? [] : await bisect(due, store, isDamage);
  for (const { item, error } of refused) logger.error({ orphanId: item.id, error }, 'orphans.refused');
  await postponeOrphans(
    db,
    refused.map(({ item }) => item.id),
  );
  return due.length;
}

/** Stores the messages whose numbers have an account, and postpones the others. @returns their events */
async function storeOwned(db: EntityManager, due: Orphan[]): Promise<string[]> {
  const messages = due.map(({ content }) => keptInboundSms(content!));
  const { unowned, reportIds } = await insertInboundSms(db, messages);
  const isUnowned = due.map((_, i) => unowned.includes(messages[i]!.id));
  const orphans = due.map(({ id }) => id);
  await deleteOrphans(
    db,
    orphans.filter((_, i) => !isUnowned[i]),
  );
  await postponeOrphans(
    db,
    orphans.filter((_, i) => isUnowned[i]),
  );
  return reportIds;
}

/** True for an error that one message causes: a value that Postgres refuses, or an invalid time. */
function isDamage(error: unknown): boolean {
  return isRefusedValue(error) || error instanceof RangeError;
}
