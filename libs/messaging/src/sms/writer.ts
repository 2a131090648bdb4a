import { type NewShortLink, insertShortLinks } from '@signalbox/database/messages/short-links';
import type { SmsContent } from '@signalbox/database/submissions/submissions';
import { shortCode } from '@signalbox/domain/links/short-code';
import { messageId } from '@signalbox/domain/message-id';
import { encodingOf } from '@signalbox/domain/sms/parts';
import { renderText } from '@signalbox/domain/sms/text';
import type { OutgoingSms } from '@signalbox/gateways/sms-gateway';
import { type SecretKeys, Sealer } from '@signalbox/runtime/seal';
import type { EntityManager } from 'typeorm';
import type { ClaimedSms, Recipient } from './claimed-sms.ts';

/** Renders the texts of claimed messages. Rows alone decide a text, so that a message claimed again has the same one. */
export class SmsWriter {
  private readonly sealer: Sealer;

  /**
   * @param keys decrypt sealed texts; the first one derives the codes of short links
   * @param linkDays lifetime of short links
   */
  constructor(
    private readonly db: EntityManager,
    private readonly keys: SecretKeys,
    private readonly linkDays: number,
  ) {
    this.sealer = new Sealer(...keys);
  }

  /**
   * Renders messages and stores their short links, in one statement for all. Leaves out messages whose text is sealed with
   * an unknown key.
   */
  async write(rows: ClaimedSms[]): Promise<OutgoingSms[]> {
    const written = rows.map((row) => this.writeRow(row));
    const links = written.flatMap((row) => row.links);
    if (links.length > 0) await insertShortLinks(this.db, links, this.linkDays);
    return written.flatMap((row) => row.messages);
  }

  private writeRow(row: ClaimedSms): { messages: OutgoingSms[]; links: NewShortLink[] } {
    const { submissionId, sender, content, sealed } = row;
    const shared = content.pieces ? undefined : this.textOf(content, sealed);
    if (!content.pieces && shared === undefined) return { messages: [], links: [] };
    const sharedEncoding = shared === undefined ? undefined : encodingOf(shared, content.unicode);
    const messageClass = content.flash ? (0 as const) : null;
    const dlt = content.dlt ?? null;
    const links: NewShortLink[] = [];
    const messages = row.messages.map((message) => {
      const text = shared ?? this.render(row, message, (link) => links.push(link));
      return {
        messageId: messageId(submissionId, message.n),
        sender,
        recipient: message.recipient,
        text,
        encoding: sharedEncoding ?? encodingOf(text, content.unicode),
        messageClass,
        dlt,
        attempt: message.attempt,
      };
    });
    return { messages, links };
  }

  private textOf(content: SmsContent, sealed: Buffer | null): string | undefined {
    return content.text ?? (sealed && this.sealer.canOpen(sealed) ? this.sealer.open(sealed) : undefined);
  }

  /** A link that the text names twice is one link. */
  private render(
    { submissionId, accountId, content: { pieces = [], links } }: ClaimedSms,
    { n, values }: Recipient,
    onLink: (link: NewShortLink) => void,
  ): string {
    const addresses = new Map<number, string>();
    return renderText(pieces, values ?? [], (link) => {
      const known = addresses.get(link);
      if (known !== undefined) return known;
      const code = shortCode(this.keys[0], messageId(submissionId, n), link);
      onLink({ code, accountId, submissionId, n, link });
      const address = `${links?.base}${code}`;
      addresses.set(link, address);
      return address;
    });
  }
}
