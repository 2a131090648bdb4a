import { type NewShortLink, insertShortLinks } from '@signalbox/database/messages/short-links';
import { shortCode } from '@signalbox/domain/links/short-code';
import { messageId } from '@signalbox/domain/message-id';
import { encodingOf } from '@signalbox/domain/sms/parts';
import { renderText } from '@signalbox/domain/sms/text';
import type { OutgoingSms } from '@signalbox/gateways/sms-gateway';
import type { Logger } from '@signalbox/runtime/logger';
import { type SecretKeys, Sealer } from '@signalbox/runtime/seal';
import type { EntityManager } from 'typeorm';
import { outgoingMessage } from '../lanes/outgoing-message.ts';
import { UnreadableError, UnreadableMessages, openSealed } from '../lanes/unreadable.ts';
import type { ClaimedSms, Recipient } from './claimed-sms.ts';

/** A rendered message with the links in its text. */
interface RenderedSms {
  message: OutgoingSms;
  links: readonly NewShortLink[];
}

const NO_LINKS: readonly NewShortLink[] = [];

/**
 * Renders the texts of claimed messages. Rows alone decide a text, so that a message claimed again has the same one.
 */
export class SmsRenderer {
  private readonly sealer: Sealer;

  /**
   * @param keys decrypt sealed texts; the first one derives the codes of short links
   * @param linkDays lifetime of short links
   */
  constructor(
    private readonly db: EntityManager,
    private readonly keys: SecretKeys,
    private readonly linkDays: number,
    private readonly logger: Logger,
  ) {
    this.sealer = new Sealer(...keys);
  }

  /**
   * Renders messages and stores their short links, in one statement for all. Leaves out messages whose text does not
   * open, or whose content is invalid, and logs why.
   */
  async render(rows: ClaimedSms[]): Promise<OutgoingSms[]> {
    const unreadable = new UnreadableMessages(this.logger);
    const rendered = rows.flatMap((row) =>
      unreadable.setAside(row.submissionId, () => this.renderRow(row, unreadable)).flat(),
    );
    await unreadable.report(this.db);
    const links = rendered.flatMap((sms) => sms.links);
    if (links.length > 0) await insertShortLinks(this.db, links, this.linkDays);
    return rendered.map(({ message }) => message);
  }

  private renderRow(row: ClaimedSms, unreadable: UnreadableMessages): RenderedSms[] {
    if (row.content.pieces)
      return row.messages.flatMap((message) =>
        unreadable.setAside(row.submissionId, () => this.renderPieces(row, message)),
      );
    const text = this.textOf(row);
    const encoding = encodingOf(text, row.content.unicode);
    return row.messages.map((message) => ({
      message: toOutgoing(row, message, text, encoding),
      links: NO_LINKS,
    }));
  }

  private textOf(row: ClaimedSms): string {
    const { content, sealed } = row;
    if (typeof content.text === 'string') return content.text;
    if (sealed) return openSealed(this.sealer, sealed, row);
    throw new UnreadableError('content_invalid');
  }

  /** A link that the text names twice is one link. */
  private renderPieces(row: ClaimedSms, recipient: Recipient): RenderedSms {
    const { submissionId, accountId, content } = row;
    const { n } = recipient;
    const codes = new Map<number, string>();
    const text = renderText(content.pieces ?? [], recipient.values ?? [], (link) => {
      if (content.links?.targets[link - 1] === undefined) throw new UnreadableError('content_invalid');
      const code = codes.get(link) ?? shortCode(this.keys[0], messageId(submissionId, n), link);
      codes.set(link, code);
      return `${content.links.base}${code}`;
    });
    const links = Array.from(codes, ([link, code]) => ({ code, accountId, submissionId, n, link }));
    return { message: toOutgoing(row, recipient, text, encodingOf(text, content.unicode)), links };
  }
}

function toOutgoing(
  row: ClaimedSms,
  recipient: Recipient,
  text: string,
  encoding: OutgoingSms['encoding'],
): OutgoingSms {
  const { lane, content, expiresAt } = row;
  return {
    ...outgoingMessage(row, recipient),
    type: lane,
    text,
    encoding,
    segments: recipient.credits,
    messageClass: content.flash ? 0 : null,
    dlt: content.dlt ?? null,
    expiresAt,
  };
}
