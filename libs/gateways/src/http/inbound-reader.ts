import { createHash } from 'node:crypto';
import { MAX_ADDRESS_LENGTH } from '@signalbox/domain/sms/sender';
import type { GatewayInbound, InboundPart } from '../callback-format.ts';
import { MAX_GATEWAY_ID } from '../gateway-ids.ts';
import { toInternational } from '../national-numbers.ts';
import { parseCallbackInstant } from './callback-instant.ts';
import type { InboundSettings } from './callback-settings.ts';
import { type Entry, type ListEntries, type ReadField, compileField, compileList } from './entry.ts';

const MAX_TOTAL = 255;
/** The place of a message that is known by its words alone, so that its repeats of two minutes are one message. */
const ALONE: InboundPart = { reference: 0, position: 1, total: 1 };
const PATHS = ['id', 'from', 'to', 'text', 'sentAt', 'reference', 'position', 'total'] as const;

/** Reads the inbound messages of a callback by the paths of its settings. */
export class InboundReader {
  readonly list: ListEntries;
  private readonly fields: Record<(typeof PATHS)[number], ReadField>;

  /** @throws SourceError for an unusable path */
  constructor(private readonly settings: InboundSettings) {
    this.list = compileList(settings.list);
    this.fields = Object.fromEntries(PATHS.map((name) => [name, compileField(settings[name])])) as Record<
      (typeof PATHS)[number],
      ReadField
    >;
  }

  /**
   * Returns the message. Its writer and its receiver may be a number, a short code or a name; undefined for an entry that
   * lacks one of them.
   */
  read(entry: Entry): GatewayInbound | undefined {
    const from = this.address(this.fields.from(entry));
    const to = this.address(this.fields.to(entry));
    const text = this.fields.text(entry) ?? '';
    if (from === undefined || to === undefined) return undefined;
    const time = this.fields.sentAt(entry);
    const gatewayMessageId = this.idOf(entry, [from, to, text], time);
    const segment = this.segmentOf(entry) ?? (gatewayMessageId === '' ? ALONE : undefined);
    return {
      gatewayMessageId,
      from,
      to,
      kind: 'text',
      content: { text: { body: text } },
      replyTo: null,
      sentAt: parseCallbackInstant(time ?? '') ?? new Date(),
      ...(segment && { segment }),
    };
  }

  private address(given = ''): string | undefined {
    const address = toInternational(given.trim(), this.settings.national);
    return address === '' || address.length > MAX_ADDRESS_LENGTH ? undefined : address;
  }

  /** A message whose place among several is not plain counts as whole. */
  private segmentOf(entry: Entry): InboundPart | undefined {
    const reference = this.fields.reference(entry);
    const [position, total] = [Number(this.fields.position(entry)), Number(this.fields.total(entry))];
    const isPlace = Number.isInteger(position) && position >= 1 && position <= total;
    if (reference === undefined || !isPlace || total < 2 || total > MAX_TOTAL) return undefined;
    return { reference: toReference(reference), position, total };
  }

  /** Without an id the message is known by its words and its time; empty when it names neither. */
  private idOf(entry: Entry, words: string[], time: string | undefined): string {
    const id = this.fields.id(entry);
    if (id !== undefined && id.length <= MAX_GATEWAY_ID) return id;
    if (id === undefined && time === undefined) return '';
    return createHash('sha256')
      .update(JSON.stringify([...words, id ?? time]))
      .digest('hex');
  }
}

/** A reference may be any text: segments join by a hash of it. */
function toReference(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) >>> 1;
}
