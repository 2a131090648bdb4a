import type { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import { quoteFormulas } from '@signalbox/domain/formulas';
import type { MessageSummary } from './message.view.ts';

/** Columns of an export in order, named as in the JSON answer. */
const COLUMNS = [
  'messageId',
  'recipient',
  'sender',
  'channel',
  'type',
  'status',
  'errCode',
  'statusDescription',
  'credits',
  'gateway',
  'operatorCircle',
  'country',
  'campaignName',
  'clientRef',
  'createdAt',
  'clicks',
  'templateName',
  'sentAt',
  'deliveredAt',
] as const satisfies (keyof MessageSummary)[];

/** The first line of an export. */
export const CSV_HEADER = `${COLUMNS.join(',')}\r\n`;

/** Renders messages as lines of CSV (RFC 4180). */
export function csvLines(messages: MessageSummary[]): string {
  return messages
    .map((message) => `${COLUMNS.map((column) => csvCell(message[column])).join(',')}\r\n`)
    .join('');
}

function csvCell(value: string | number | null): string {
  if (value === null) return '';
  const text = typeof value === 'string' ? quoteFormulas(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** True if an Accept header names CSV; a client that accepts anything gets JSON. */
export function wantsCsv(accept = ''): boolean {
  return /(^|,)\s*text\/csv\s*(;|,|$)/i.test(accept);
}

/** A download of lines of CSV. */
export function csvFile(lines: Readable): StreamableFile {
  return new StreamableFile(lines, {
    type: 'text/csv; charset=utf-8',
    disposition: 'attachment; filename="messages.csv"',
  });
}
