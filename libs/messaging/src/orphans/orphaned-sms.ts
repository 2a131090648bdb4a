import { insertInboundSms } from '@signalbox/database/gateways/inbound-sms';
import { claimDueOrphans, deleteOrphans, postponeOrphans } from '@signalbox/database/gateways/orphans';
import { REPORT_QUEUES } from '@signalbox/queues/definitions';
import type { DutyContext } from '../maintenance/duty.ts';
import { keptInboundSms } from '../sms/inbound.ts';

const BATCH = 200;

/**
 * Stores the due inbound SMS of the orphan box whose numbers have an account by now, and postpones the others.
 *
 * @returns the number of messages tried
 */
export async function storeOrphanedSms({ db, queues }: DutyContext): Promise<number> {
  const due = await claimDueOrphans(db, 'inbound', BATCH);
  if (due.length === 0) return 0;
  const messages = due.map(({ content }) => keptInboundSms(content!));
  const reportIds = await db.transaction(async (transaction) => {
    const { unowned, reportIds: ids } = await insertInboundSms(transaction, messages);
    const isUnowned = due.map((_, i) => unowned.includes(messages[i]!.id));
    const orphans = due.map(({ id }) => id);
    await deleteOrphans(
      transaction,
      orphans.filter((_, i) => !isUnowned[i]),
    );
    await postponeOrphans(
      transaction,
      orphans.filter((_, i) => isUnowned[i]),
    );
    return ids;
  });
  queues.get(REPORT_QUEUES.OTHER).enqueue(reportIds);
  return due.length;
}
