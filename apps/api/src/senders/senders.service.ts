import { Injectable } from '@nestjs/common';
import { findAccountsNamed } from '@signalbox/database/accounts/accounts';
import { assignSender, listAssignments, releaseSender } from '@signalbox/database/chat/assignments';
import { listOwnSenders } from '@signalbox/database/chat/own-senders';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import { violation } from '@signalbox/domain/violation';
import { EntityManager } from 'typeorm';
import type { Caller } from '../auth/caller.ts';
import { withAuditAsLiveCaller } from '../auth/live-caller.ts';
import { ApiError, invalidRequest } from '../errors/api-error.ts';
import type { Page } from '../http/answer.ts';
import { Creations, type LiveCall } from '../http/creations.ts';
import { Cursors } from '../http/cursor.ts';
import type { AssignmentQuery, AssignmentRequest } from './sender.dto.ts';
import { type SenderAssignmentView, type SenderView, assignmentView, senderView } from './sender.view.ts';

const LIST = 'sender assignments';

/** Lists the senders of an account, and says which account owns a number of a chat app. */
@Injectable()
export class SendersService {
  constructor(
    private readonly db: EntityManager,
    private readonly creations: Creations,
    private readonly cursors: Cursors,
  ) {}

  async list(accountId: string): Promise<SenderView[]> {
    return (await listOwnSenders(this.db, accountId)).map(senderView);
  }

  /** Lists the numbers of all accounts, by number. */
  async assignments(caller: string, query: AssignmentQuery): Promise<Page<SenderAssignmentView>> {
    const { accountId = null } = query;
    const msisdn = query.msisdn === undefined ? null : parseMsisdn(query.msisdn)!;
    const read = (limit: number, after: string | undefined) =>
      listAssignments(this.db, { accountId, msisdn }, limit, after ?? null);
    const rows = { digits: (row: { msisdn: string }) => row.msisdn, read, view: assignmentView };
    return this.cursors.pageByDigits(LIST, caller, query, rows);
  }

  /**
   * Assigns a number. A repeat changes nothing but its time.
   *
   * @throws ApiError sender_taken, invalid_request for an unknown account; those of `onceLive`
   */
  async assign(call: LiveCall<AssignmentRequest>): Promise<SenderAssignmentView> {
    const { msisdn: given, accountId = call.accountId } = call.request;
    const [account] = await findAccountsNamed(this.db, accountId.toLowerCase());
    if (!account)
      throw invalidRequest([violation('accountId', 'unknown_account', 'must be the id of an account')]);
    const msisdn = parseMsisdn(given)!;
    const [known] = await listAssignments(this.db, { msisdn });
    const created: SenderAssignmentView = {
      msisdn,
      accountId: account.id,
      accountName: account.name,
      assignedBy: 'operator',
      assignedAt: new Date().toISOString(),
      quarantinedUntil: null,
      inUse: known?.inUse ?? false,
    };
    return this.creations.onceLive(call, created, async (db) => {
      if (!(await assignSender(db, account.id, msisdn))) throw new ApiError('sender_taken');
    });
  }

  /** Releases a number. @throws ApiError sender_in_use, sender_not_found; those of `requireLiveCaller` */
  async release(caller: Caller, number: string, removesSender: boolean): Promise<{ msisdn: string }> {
    const msisdn = parseMsisdn(number) ?? '';
    await withAuditAsLiveCaller(this.db, caller, async (db) => {
      const outcome = await releaseSender(db, msisdn, removesSender);
      if (outcome === 'in_use') throw new ApiError('sender_in_use');
      if (outcome === 'absent') throw new ApiError('sender_not_found');
    });
    return { msisdn };
  }
}
