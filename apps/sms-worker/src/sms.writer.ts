import type { ReclaimedMessage } from '@signalbox/database/submissions/reclaim';
import { type NewShortLink, insertShortLinks } from '@signalbox/database/messages/short-links';
import type { FannedOut, SmsContent } from '@signalbox/database/submissions/submissions';
import { messageId } from '@signalbox/domain/message-id';
import { shortCode } from '@signalbox/domain/links/short-code';
import { encodingOf } from '@signalbox/domain/sms/parts';
import { renderText } from '@signalbox/domain/sms/text';
import type { OutgoingSms } from '@signalbox/gateways/sms-gateway';
import { type SecretKeys, Sealer } from '@signalbox/runtime/seal';
import type { EntityManager } from 'typeorm';

/** A claimed message that is to be written. */
type Unwritten = Pick<ReclaimedMessage, 'submissionId' | 'accountId' | 'n' | 'recipient' | 'attempt'> & {
  values: string[] | null;
};

/** Writes the texts of claimed messages. What it writes follows from the rows alone: a message that is taken up again says the same. */
export class SmsWriter {
  private readonly sealer: Sealer;

  /**
   * @param keys open what is sealed; the first makes the codes of links
   * @param linkDays how long links lead anywhere
   */
  constructor(
    private readonly db: EntityManager,
    private readonly keys: SecretKeys,
    private readonly linkDays: number,
  ) {
    this.sealer = new Sealer(...keys);
  }

  /**
   * The messages ready to be submitted; their links are stored, in one statement for all of them.
   * A message whose text is sealed with another key is left out.
   */
  async write(chunks: FannedOut[], reclaimed: ReclaimedMessage[]): Promise<OutgoingSms[]> {
    const links: NewShortLink[] = [];
    const messages = [
      ...chunks.flatMap((chunk) => this.writeAll(chunk, unwrittenOf(chunk), links)),
      ...reclaimed.flatMap((row) => this.writeAll(row, [{ ...row, values: row.custom }], links)),
    ];
    if (links.length > 0) await insertShortLinks(this.db, links, this.linkDays);
    return messages;
  }

  private writeAll(
    { sender, content, sealed }: Pick<FannedOut, 'sender' | 'content' | 'sealed'>,
    messages: Unwritten[],
    links: NewShortLink[],
  ): OutgoingSms[] {
    const same = content.pieces ? undefined : this.textOf(content, sealed);
    if (!content.pieces && same === undefined) return [];
    const sameEncoding = same === undefined ? undefined : encodingOf(same, content.unicode);
    const messageClass = content.flash ? (0 as const) : null;
    const dlt = content.dlt ?? null;
    return messages.map((message) => {
      const text = same ?? this.render(content, message, links);
      const { submissionId, n, recipient, attempt } = message;
      const encoding = sameEncoding ?? encodingOf(text, content.unicode);
      return {
        messageId: messageId(submissionId, n),
        sender,
        recipient,
        text,
        encoding,
        messageClass,
        dlt,
        attempt,
      };
    });
  }

  private textOf(content: SmsContent, sealed: Buffer | null): string | undefined {
    return content.text ?? (sealed && this.sealer.canOpen(sealed) ? this.sealer.open(sealed) : undefined);
  }

  /** A link that the text names twice is one link. */
  private render(
    { pieces = [], links }: SmsContent,
    { submissionId, accountId, n, values }: Unwritten,
    made: NewShortLink[],
  ): string {
    const addresses = new Map<number, string>();
    return renderText(pieces, values ?? [], (link) => {
      const known = addresses.get(link);
      if (known !== undefined) return known;
      const code = shortCode(this.keys[0], messageId(submissionId, n), link);
      made.push({ code, accountId, submissionId, n, link });
      const address = `${links?.base}${code}`;
      addresses.set(link, address);
      return address;
    });
  }
}

function unwrittenOf({
  id: submissionId,
  accountId,
  from,
  recipients,
  custom,
  skipped,
}: FannedOut): Unwritten[] {
  const messages = recipients.map((recipient, i) => ({
    submissionId,
    accountId,
    n: from + i + 1,
    recipient,
    attempt: 1,
    values: custom?.[i] ?? null,
  }));
  if (!skipped) return messages;
  const aside = new Set(skipped);
  return messages.filter(({ n }) => !aside.has(n));
}
