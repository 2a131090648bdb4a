import { guessMsisdn, parseMsisdn } from '@signalbox/domain/msisdn';

/** An entry that is no number, with its place from 1. */
interface BadNumber {
  place: number;
  text: string;
}

/** Recipients as they were given. */
export interface Recipients {
  /** Digits, in the given order, each with the row of the file that it is in. */
  numbers: readonly { digits: string; row: number }[];
  bad: readonly BadNumber[];
  /** Numbers that occur more than once, each once. */
  repeated: readonly string[];
}

/** Most recipients of one request. */
export const MAX_RECIPIENTS = 10_000;

/** Reads numbers, in any notation, from entries such as the cells of a column. Empty entries are left out. */
export function readRecipients(entries: readonly string[]): Recipients {
  const numbers: { digits: string; row: number }[] = [];
  const bad: BadNumber[] = [];
  const seen = new Set<string>();
  const repeated = new Set<string>();
  entries.forEach((entry, row) => {
    const text = entry.trim();
    if (text === '') return;
    const digits = parseMsisdn(text) ?? guessMsisdn(text);
    if (digits === undefined) return void bad.push({ place: row + 1, text });
    if (seen.has(digits)) repeated.add(digits);
    seen.add(digits);
    numbers.push({ digits, row });
  });
  return { numbers, bad, repeated: [...repeated] };
}

/** Splits pasted text at line breaks, commas, semicolons and tabs. */
export function splitEntries(text: string): string[] {
  return text.split(/[\r\n,;\t]+/).filter((entry) => entry.trim() !== '');
}

/** Keeps the first of each repeated number. */
export function onceEach(numbers: Recipients['numbers']): Recipients['numbers'] {
  const seen = new Set<string>();
  return numbers.filter(({ digits }) => {
    if (seen.has(digits)) return false;
    seen.add(digits);
    return true;
  });
}

/** A file of recipients: its columns by name, and its rows. */
export interface RecipientFile {
  name: string;
  columns: readonly string[];
  rows: readonly (readonly string[])[];
  /** Index of the column with the numbers. */
  numberColumn: number;
}

/** Makes a file of parsed CSV. The first row is a header when none of its cells is a number. */
export function toFile(name: string, table: readonly (readonly string[])[]): RecipientFile {
  const [first = [], ...others] = table;
  const isHeader = !first.some((cell) => isNumber(cell));
  const width = table.reduce((most, row) => Math.max(most, row.length), 0);
  const columns = Array.from(
    { length: width },
    (_, i) => (isHeader && first[i]?.trim()) || `Column ${i + 1}`,
  );
  const rows = isHeader ? others : table;
  return { name, columns, rows, numberColumn: bestColumn(rows, width) };
}

/** The column that has most numbers among the first rows. */
function bestColumn(rows: RecipientFile['rows'], width: number): number {
  const sample = rows.slice(0, 200);
  const counts = Array.from(
    { length: width },
    (_, column) => sample.filter((row) => isNumber(row[column] ?? '')).length,
  );
  return Math.max(0, counts.indexOf(Math.max(...counts)));
}

function isNumber(cell: string): boolean {
  return (parseMsisdn(cell.trim()) ?? guessMsisdn(cell)) !== undefined;
}
