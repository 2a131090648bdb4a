import type { MessageSummary } from './message.view.ts';

/** The columns of an export, in order; they have the names of the JSON answer. */
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
] as const satisfies (keyof MessageSummary)[];

/** The first line of an export. */
export const CSV_HEADER = `${COLUMNS.join(',')}\r\n`;

/** Messages as lines of CSV (RFC 4180). */
export function csvLines(messages: MessageSummary[]): string {
  return messages
    .map((message) => `${COLUMNS.map((column) => csvCell(message[column])).join(',')}\r\n`)
    .join('');
}

/** Beginnings that a spreadsheet takes for a formula, which may read other cells and call out with them. */
const FORMULA = /^[=+\-@\t\r]/;

function csvCell(value: string | number | null): string {
  if (value === null) return '';
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
