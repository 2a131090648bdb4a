import { listPhoneMessages } from '@signalbox/database/phones';
import { messageId } from '@signalbox/domain/message-id';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import type { Sealer } from '@signalbox/runtime/seal';
import type { EntityManager } from 'typeorm';
import type { Cursors } from '../http/cursor.ts';
import type { PageQuery } from '../http/page-query.ts';
import type { PhoneMessageView } from './phone-message.view.ts';

/** Opens what the simulator's phones received. */
export class PhonesService {
  constructor(
    private readonly db: EntityManager,
    private readonly cursors: Cursors,
    private readonly sealer: Sealer,
  ) {}

  /** A page of what a phone received from the account; what is no number has received nothing. */
  async list(
    accountId: string,
    msisdn: string,
    { limit, cursor }: PageQuery,
  ): Promise<{ page: PhoneMessageView[]; nextCursor: string | null }> {
    const recipient = parseMsisdn(msisdn) ?? '';
    const list = `phone ${recipient}`;
    const before = cursor === undefined ? undefined : this.cursors.decodeMessage(list, accountId, cursor);
    const found = await listPhoneMessages(this.db, accountId, recipient, limit + 1, before);
    const rows = found.slice(0, limit);
    const page = rows
      .filter(({ sealedText }) => this.sealer.canOpen(sealedText))
      .map((row) => ({
        messageId: messageId(row.submissionId, row.n),
        channel: 'sms' as const,
        from: row.sender,
        text: this.sealer.open(row.sealedText),
        receivedAt: row.receivedAt.toISOString(),
      }));
    return { page, nextCursor: found.length > limit ? this.cursors.encodeMessage(list, accountId, rows.at(-1)!) : null };
  }
}
