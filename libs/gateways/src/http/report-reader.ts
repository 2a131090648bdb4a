import { ERR_CODES } from '@signalbox/domain/err-codes';
import type { ReportedStatus } from '@signalbox/domain/message-status';
import type { GatewayReport } from '@signalbox/domain/routing/submit-outcome';
import { findErrCode } from '../errors/error-table.ts';
import type { OrphanReport } from '../orphan-reports.ts';
import type { ReportSettings } from './callback-settings.ts';
import { type Entry, type ListEntries, type ReadField, compileField, compileList } from './entry.ts';
import { parseCallbackInstant } from './callback-instant.ts';
import { compilePattern } from './source.ts';

/** The reading of one entry: a report, one by the gateway's id, nothing to do, or its problem. */
export type ReportReading =
  | { report: GatewayReport }
  | { unresolved: OrphanReport }
  | { ignored: true }
  | { problem: string };

const UNKNOWN_ERROR = '099';
const NO_ERROR = new Set(['', '0', '000']);
const MAX_DETAILS = 2_000;
const PATHS = [
  'messageId',
  'gatewayMessageId',
  'recipient',
  'status',
  'errorCode',
  'description',
  'reportedAt',
] as const;

/** Reads the reports of a callback by the paths of its settings. */
export class ReportReader {
  readonly list: ListEntries;
  private readonly fields: Record<(typeof PATHS)[number], ReadField>;
  private readonly details: [name: string, read: ReadField][];
  private readonly codeIn: (text: string) => string | undefined;
  private readonly wordsIn: (text: string) => string | undefined;
  private readonly statuses: ReadonlyMap<string, string>;

  /** @throws SourceError for an unusable path */
  constructor(
    private readonly settings: ReportSettings,
    private readonly errors: Readonly<Record<string, string>>,
  ) {
    this.list = compileList(settings.list);
    this.fields = Object.fromEntries(PATHS.map((name) => [name, compileField(settings[name])])) as Record<
      (typeof PATHS)[number],
      ReadField
    >;
    this.details = Object.entries(settings.details ?? {}).map(([name, path]) => [name, compileField(path)]);
    this.codeIn = compilePart(settings.errorPattern);
    this.wordsIn = compilePart(settings.descriptionPattern);
    this.statuses = new Map(
      Object.entries(settings.statuses).map(([word, status]) => [word.toLowerCase(), status]),
    );
  }

  /** Is true for an entry with a status. */
  isReport(entry: Entry): boolean {
    return this.fields.status(entry) !== undefined;
  }

  /** @param ref id of the message in the address, which alone is vouched for when it is there */
  read(entry: Entry, ref: string | undefined): ReportReading {
    const word = this.fields.status(entry) ?? '';
    const status = this.statuses.get(word.toLowerCase());
    if (status === undefined)
      return { problem: `The status "${printable(word)}" is not in callback.reports.statuses.` };
    if (status === 'IGNORED') return { ignored: true };
    const facts = this.facts(entry, word.toLowerCase(), status as ReportedStatus);
    const messageId = ref ?? this.fields.messageId(entry);
    if (messageId !== undefined) return { report: this.report(messageId, entry, facts) };
    const gatewayMessageId = this.fields.gatewayMessageId(entry);
    if (gatewayMessageId === undefined) return { problem: 'A report names no message.' };
    const recipient = this.fields.recipient(entry)?.replace(/\D/g, '') || null;
    return { unresolved: { gatewayMessageId, recipient, ...facts } };
  }

  private facts(entry: Entry, word: string, status: ReportedStatus) {
    const code = this.codeIn(this.fields.errorCode(entry) ?? '')?.trim();
    const gatewayCode = code === undefined || NO_ERROR.has(code) ? null : code.slice(0, 100);
    const errCode = status === 'FAILED' ? this.errCodeOf(gatewayCode, word) : '000';
    const text = this.fields.description(entry) ?? word;
    return {
      status,
      errCode,
      gatewayCode,
      description: (this.wordsIn(text)?.trim() || describe(status, errCode)).slice(0, 500),
      reportedAt: instantOf(this.fields.reportedAt(entry)),
    };
  }

  private report(
    messageId: string,
    entry: Entry,
    { gatewayCode, ...facts }: ReturnType<ReportReader['facts']>,
  ): GatewayReport {
    const details = this.detailsOf(entry);
    return {
      messageId,
      ...facts,
      ...(gatewayCode !== null && { gatewayCode }),
      ...(details && { details }),
    };
  }

  private errCodeOf(code: string | null, word: string): string {
    const own = code === null ? undefined : findErrCode(this.errors, code);
    const { statusErrors = {} } = this.settings;
    return own ?? (Object.hasOwn(statusErrors, word) ? statusErrors[word]! : UNKNOWN_ERROR);
  }

  private detailsOf(entry: Entry): Record<string, unknown> | undefined {
    const found = this.details.flatMap(([name, read]) => {
      const value = read(entry);
      return value === undefined ? [] : [[name, value.slice(0, 200)]];
    });
    if (found.length === 0) return undefined;
    const details = Object.fromEntries(found) as Record<string, unknown>;
    return JSON.stringify(details).length > MAX_DETAILS ? undefined : details;
  }
}

/** Returns the first group of a pattern within a text, or the text without a pattern. */
function compilePart(pattern: string | undefined): (text: string) => string | undefined {
  if (pattern === undefined) return (text) => text;
  const find = compilePattern(pattern);
  return (text) => find(text)[0];
}

function describe(status: ReportedStatus, errCode: string): string {
  if (status === 'FAILED') return ERR_CODES[errCode as keyof typeof ERR_CODES] ?? ERR_CODES['099'];
  return status === 'SENT' ? 'Message accepted by the gateway' : 'Message delivered';
}

/** The time that a report names, at the latest now: a vendor may write its local time without a zone. */
function instantOf(text = ''): Date {
  const now = new Date();
  const at = parseCallbackInstant(text) ?? now;
  return at > now ? now : at;
}

function printable(word: string): string {
  return word.slice(0, 40).replace(/[^\x20-\x7e]/g, '?');
}
