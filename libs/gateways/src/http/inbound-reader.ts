import { createHash } from 'node:crypto';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import type { GatewayInbound, InboundPart } from '../callback-format.ts';
import { MAX_GATEWAY_ID } from '../gateway-ids.ts';
import { parseCallbackInstant } from './callback-instant.ts';
import type { InboundSettings } from './callback-settings.ts';
import { type Entry, type ListEntries, type ReadField, compileField, compileList } from './entry.ts';

const MAX_TO = 20;
const MAX_TOTAL = 255;
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

  /** Returns the message, its text cut to 4,096 characters; undefined when the entry has no number or no receiver. */
  read(entry: Entry): GatewayInbound | undefined {
    const from = parseMsisdn(this.international(this.fields.from(entry)));
    const to = this.international(this.fields.to(entry)).replace(/^\+/, '');
    const text = this.fields.text(entry) ?? '';
    if (from === undefined || to === '' || to.length > MAX_TO) return undefined;
    const time = this.fields.sentAt(entry);
    const segment = this.segmentOf(entry);
    return {
      gatewayMessageId: this.idOf(entry, [from, to, text, time ?? '']),
      from,
      to,
      kind: 'text',
      content: { text: { body: text } },
      replyTo: null,
      sentAt: parseCallbackInstant(time ?? '') ?? new Date(),
      ...(segment && { segment }),
    };
  }

  private international(given = ''): string {
    const number = given.trim();
    const { countryCode = '', digits = 0 } = this.settings.national ?? {};
    return number.length === digits && /^\d+$/.test(number) ? countryCode + number : number;
  }

  /** A message whose place among several is not plain counts as whole. */
  private segmentOf(entry: Entry): InboundPart | undefined {
    const reference = this.fields.reference(entry);
    const [position, total] = [Number(this.fields.position(entry)), Number(this.fields.total(entry))];
    const isPlace = Number.isInteger(position) && position >= 1 && position <= total;
    if (reference === undefined || !isPlace || total < 2 || total > MAX_TOTAL) return undefined;
    return { reference: toReference(reference), position, total };
  }

  private idOf(entry: Entry, values: string[]): string {
    const id = this.fields.id(entry);
    return id !== undefined && id.length <= MAX_GATEWAY_ID
      ? id
      : createHash('sha256').update(JSON.stringify(values)).digest('hex');
  }
}

/** A reference may be any text: segments join by a hash of it. */
function toReference(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) >>> 1;
}
