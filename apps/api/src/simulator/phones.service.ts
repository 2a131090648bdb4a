import { Injectable } from '@nestjs/common';
import { type ReceivedMessage, listPhoneMessages, listRecentPhones } from '@signalbox/database/ops/phones';
import { type RenderedChat, readableText } from '@signalbox/domain/chat/message';
import { messageId } from '@signalbox/domain/message-id';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import { phoneRow } from '@signalbox/domain/sealed-rows';
import { Sealer } from '@signalbox/runtime/seal';
import { EntityManager } from 'typeorm';
import type { Page } from '../http/answer.ts';
import { Cursors } from '../http/cursor.ts';
import type { PageQuery } from '../http/page-query.ts';
import type { PhoneMessageView, PhoneView } from './phone-message.view.ts';

/** Reads the inboxes of simulated phones. */
@Injectable()
export class PhonesService {
  constructor(
    private readonly db: EntityManager,
    private readonly cursors: Cursors,
    private readonly sealer: Sealer,
  ) {}

  /** Lists the phones that the account wrote to last, at most 50, the newest first. */
  async listRecent(accountId: string): Promise<PhoneView[]> {
    const phones = await listRecentPhones(this.db, accountId);
    return phones.map(({ recipient, lastReceivedAt }) => ({
      msisdn: recipient,
      lastReceivedAt: lastReceivedAt.toISOString(),
    }));
  }

  /** Lists the messages that a phone received from the account; the list of an invalid number is empty. */
  async list(
    accountId: string,
    msisdn: string,
    { limit, cursor }: PageQuery,
  ): Promise<Page<PhoneMessageView>> {
    const recipient = parseMsisdn(msisdn) ?? '';
    const list = `phone ${recipient}`;
    const before = cursor === undefined ? undefined : this.cursors.decodeMessage(list, accountId, cursor);
    const found = await listPhoneMessages(this.db, accountId, recipient, limit + 1, before);
    const rows = found.slice(0, limit);
    const page = rows.flatMap((row) => this.viewOf(row) ?? []);
    return {
      page,
      nextCursor: found.length > limit ? this.cursors.encodeMessage(list, accountId, rows.at(-1)!) : null,
    };
  }

  /** Returns no view of a message that is damaged, or sealed with an unknown key. */
  private viewOf(row: ReceivedMessage): PhoneMessageView | undefined {
    const opened = this.sealer.tryOpen(row.sealedText, phoneRow(messageId(row.submissionId, row.n)));
    try {
      return opened === undefined ? undefined : toView(row, opened);
    } catch {
      return undefined;
    }
  }
}

function toView(
  { submissionId, n, channel, sender, receivedAt }: ReceivedMessage,
  opened: string,
): PhoneMessageView {
  const view = { messageId: messageId(submissionId, n), from: sender, receivedAt: receivedAt.toISOString() };
  if (channel === 'sms') return { ...view, channel, text: opened };
  const content = JSON.parse(opened) as RenderedChat;
  return { ...view, channel, text: readableText(content), content };
}
