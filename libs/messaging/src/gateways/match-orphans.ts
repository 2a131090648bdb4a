import { findGateway } from '@signalbox/database/gateways/gateways';
import {
  type KnownMessageId,
  findGatewayIds,
  findSharedIds,
  sampleGatewayIds,
} from '@signalbox/database/gateways/message-ids';
import { messageId } from '@signalbox/domain/message-id';
import type { KnownId } from '@signalbox/domain/routing/orphan-match';
import type { SegmentReport } from '@signalbox/gateways/gateway-ids';
import { rollUp } from '@signalbox/gateways/smpp/text/roll-up';
import type { EntityManager } from 'typeorm';
import type { DutyContext } from '../maintenance/duty.ts';
import { type KnownIds, OrphanMatcher } from '../orphans/orphan-matcher.ts';
import { ReportIntake } from '../reports/report-intake.ts';
import { DurableGatewayIds } from './gateway-ids.ts';

/**
 * Tries the reports that match no message, when they are due. Several processes claim different ones.
 *
 * @returns the number of reports tried
 */
export function matchOrphans(context: DutyContext): Promise<number> {
  const { db, logger } = context;
  const ids: KnownIds = {
    find: async (gateway, own) => (await findGatewayIds(db, gateway, own)).map(toKnownId),
    findOpen: async (gateway, own) =>
      (
        await findSharedIds(
          db,
          own.map((each) => ({ ...each, gateway })),
        )
      ).map(toKnownId),
    sample: (gateway, limit) => sampleGatewayIds(db, gateway, limit),
  };
  const matcher = new OrphanMatcher(db, ids, (gateway, reports) => report(context, gateway, reports), logger);
  return matcher.matchDue();
}

function toKnownId({ gatewayMessageId, submissionId, n, recipient }: KnownMessageId): KnownId {
  return { gatewayMessageId, messageId: messageId(submissionId, n), recipient };
}

/** Reports segments as their adapter does. */
async function report(
  { db, get }: DutyContext,
  gateway: string,
  reports: SegmentReport[],
): Promise<boolean[]> {
  const found = await get(DurableGatewayIds).report(gateway, reports);
  const receiptsFrom = await receiptsFromOf(db, gateway);
  const rolled = found.flatMap((segments) => (segments && rollUp(segments, { receiptsFrom })) ?? []);
  await get(ReportIntake).receive(gateway, rolled);
  return found.map((segments) => segments !== undefined);
}

async function receiptsFromOf(db: EntityManager, gateway: string): Promise<'all' | 'first' | 'last'> {
  const settings = (await findGateway(db, gateway))?.settings;
  const { receiptsFrom } =
    (settings as { receipts?: { receiptsFrom?: unknown } } | undefined)?.receipts ?? {};
  return receiptsFrom === 'first' || receiptsFrom === 'last' ? receiptsFrom : 'all';
}
