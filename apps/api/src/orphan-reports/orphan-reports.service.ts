import { randomUUIDv7 } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { findAccountsNamed } from '@signalbox/database/accounts/accounts';
import { findGateway } from '@signalbox/database/gateways/gateways';
import { insertGatewayOptOuts, insertInboundSms } from '@signalbox/database/gateways/inbound-sms';
import { listParties } from '@signalbox/database/messages/messages';
import { type Orphan, deleteOrphans, listOrphans, lockOrphan } from '@signalbox/database/gateways/orphans';
import { insertReports } from '@signalbox/database/reports/reports';
import { type MessageKey, parseMessageId } from '@signalbox/domain/message-id';
import { isOptOut } from '@signalbox/domain/routing/opt-out-codes';
import { keptInboundSms } from '@signalbox/messaging/sms/inbound';
import { REPORT_QUEUES } from '@signalbox/queues/definitions';
import { Queues } from '@signalbox/queues/open-queues';
import { EntityManager } from 'typeorm';
import type { Caller } from '../auth/caller.ts';
import { withAuditAsLiveCaller } from '../auth/live-caller.ts';
import { SEARCHES } from '../core.module.ts';
import { ApiError, invalidRequest } from '../errors/api-error.ts';
import type { Page } from '../http/answer.ts';
import { Cursors } from '../http/cursor.ts';
import { findOwn } from '../http/find-own.ts';
import type { OrphanAssignment, OrphanQuery } from './orphan-report.dto.ts';
import { type OrphanReportView, orphanReportView } from './orphan-report.view.ts';

const LIST = 'orphan reports';

/** Shows and empties the orphan box. */
@Injectable()
export class OrphanReportsService {
  constructor(
    private readonly db: EntityManager,
    @InjectEntityManager(SEARCHES) private readonly searches: EntityManager,
    private readonly cursors: Cursors,
    private readonly queues: Queues,
  ) {}

  /** A page of the orphan box, newest first. */
  list(accountId: string, { gateway, kind, ...page }: OrphanQuery): Promise<Page<OrphanReportView>> {
    const filter = { gateway: gateway ?? null, kind: kind ?? null };
    const read = (limit: number, before?: string) => listOrphans(this.searches, filter, limit, before);
    return this.cursors.page(LIST, accountId, page, read, orphanReportView);
  }

  /**
   * Gives a report to a message, or an inbound SMS to an account, as if it had found it.
   *
   * @throws ApiError orphan_report_not_found, message_not_found, invalid_request; those of `requireLiveCaller`
   */
  async assign(
    caller: Caller,
    id: string,
    { messageId, accountId }: OrphanAssignment,
  ): Promise<OrphanReportView> {
    const { orphan, reportIds } = await withAuditAsLiveCaller(this.db, caller, async (db) => {
      const found = await findOwn(id, () => lockOrphan(db, id), 'orphan_report_not_found');
      requireKind(found, messageId === undefined ? 'inbound' : 'report');
      const ids =
        messageId === undefined
          ? await giveToAccount(db, found, accountId ?? '')
          : await giveToMessage(db, found, messageId);
      await deleteOrphans(db, [id]);
      return { orphan: found, reportIds: ids };
    });
    this.queues.get(REPORT_QUEUES.OTHER).enqueue(reportIds);
    return orphanReportView({ ...orphan, nextTryAt: null });
  }

  /** Deletes an entry permanently. @throws ApiError orphan_report_not_found; those of `requireLiveCaller` */
  discard(caller: Caller, id: string): Promise<{ id: string }> {
    return withAuditAsLiveCaller(this.db, caller, async (db) => {
      await findOwn(id, async () => (await deleteOrphans(db, [id])) === 1, 'orphan_report_not_found');
      return { id };
    });
  }
}

function requireKind({ kind, status }: Orphan, wanted: Orphan['kind']): void {
  const field = wanted === 'report' ? 'messageId' : 'accountId';
  if (kind !== wanted) {
    const other =
      wanted === 'report' ? 'accountId, since it is an inbound SMS' : 'messageId, since it is a report';
    throw invalidRequest([{ field, rule: 'not_applicable', message: `must be absent: name ${other}` }]);
  }
  if (kind === 'report' && status === null)
    throw invalidRequest([
      { field, rule: 'not_applicable', message: 'cannot get a report of unknown status: discard the report' },
    ]);
}

async function giveToMessage(db: EntityManager, orphan: Orphan, messageId: string): Promise<string[]> {
  const key: MessageKey = parseMessageId(messageId)!;
  const [party] = await listParties(db, [key]);
  if (!party) throw new ApiError('message_not_found');
  const { gateway, status, errCode, gatewayCode, description, reportedAt } = orphan;
  const id = randomUUIDv7();
  const report = {
    id,
    gateway,
    ...key,
    status: status!,
    errCode,
    description,
    operatorCircle: null,
    reportedAt,
    gatewayCode,
  };
  await insertReports(db, [report]);
  const row = await findGateway(db, gateway);
  if (isOptOut(row, errCode, gatewayCode)) await insertGatewayOptOuts(db, [{ ...key, at: reportedAt }]);
  return [id];
}

async function giveToAccount(db: EntityManager, orphan: Orphan, accountId: string): Promise<string[]> {
  const [account] = await findAccountsNamed(db, accountId.toLowerCase());
  if (!account)
    throw invalidRequest([
      { field: 'accountId', rule: 'unknown_account', message: 'must be the id of an account' },
    ]);
  const message = { ...keptInboundSms(orphan.content!), givenTo: account.id };
  return (await insertInboundSms(db, [message])).reportIds;
}
