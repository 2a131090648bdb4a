import { guessMsisdn, parseMsisdn } from '@signalbox/domain/msisdn';

/** An entry that is no number, with its place from 1: in a file, the row as a spreadsheet counts it. */
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

/** Reads the recipients of a file, or those that were typed. Numbers are in any notation; empty cells are left out. */
export function recipientsOf({
  file,
  typed,
}: {
  file: RecipientFile | undefined;
  typed: string;
}): Recipients {
  const entries = file ? file.rows.map((row) => row[file.numberColumn] ?? '') : splitEntries(typed);
  const numbers: { digits: string; row: number }[] = [];
  const bad: BadNumber[] = [];
  const seen = new Set<string>();
  const repeated = new Set<string>();
  entries.forEach((entry, row) => {
    const text = entry.trim();
    if (text === '') return;
    const digits = parseMsisdn(text) ?? guessMsisdn(text);
    if (digits === undefined) return void bad.push({ place: file?.places[row] ?? row + 1, text });
    if (seen.has(digits)) repeated.add(digits);
    seen.add(digits);
    numbers.push({ digits, row });
  });
  return { numbers, bad, repeated: [...repeated] };
}

/** Splits pasted text at line breaks, commas, semicolons and tabs. */
function splitEntries(text: string): string[] {
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
  /** Encoding of its text, when that is not UTF-8. */
  encoding: string | undefined;
  columns: readonly string[];
  rows: readonly (readonly string[])[];
  /** Numbers of the rows, as a spreadsheet counts them from 1. */
  places: readonly number[];
  /** Index of the column with the numbers. */
  numberColumn: number;
}

/**
 * Makes a file of parsed CSV. Blank rows are left out. The first row is a header when none of its cells is a number, also
 * not a wrong one.
 */
export function toFile(
  name: string,
  table: readonly (readonly string[])[],
  encoding?: string,
): RecipientFile {
  const filled = table
    .map((cells, i) => ({ cells, place: i + 1 }))
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  const first = filled[0]?.cells ?? [];
  const isHeader = !first.some((cell) => isNumber(cell) || isMeantAsNumber(cell));
  const width = filled.reduce((most, { cells }) => Math.max(most, cells.length), 0);
  const header = Array.from({ length: width }, (_, i) => (isHeader && first[i]?.trim()) || '');
  const others = isHeader ? filled.slice(1) : filled;
  const rows = others.map(({ cells }) => cells);
  return {
    name,
    encoding,
    columns: header.map((column, i) => column || `Column ${i + 1}`),
    rows,
    places: others.map(({ place }) => place),
    numberColumn: bestColumn(header, rows.slice(0, 200)),
  };
}

/** Headers of columns with phone numbers, and one that other numbers have too. */
const PHONE_HEADER = /phone|mobile|msisdn|recipient|whatsapp|(?<![a-z])tel/i;
const NUMBER_HEADER = /number/i;

/**
 * The column of the recipients. Ids and amounts look like numbers too, so of the columns with at least half as many
 * numbers as the fullest the header decides, then a plus before the digits, then the count of digits.
 */
function bestColumn(header: readonly string[], sample: RecipientFile['rows']): number {
  const columns = header.map((title, index) => {
    const cells = sample.map((row) => row[index] ?? '').filter((cell) => isNumber(cell));
    const digits = cells.reduce((sum, cell) => sum + cell.replaceAll(/\D/g, '').length, 0);
    return {
      index,
      count: cells.length,
      rank: PHONE_HEADER.test(title) ? 2 : Number(NUMBER_HEADER.test(title)),
      plus: cells.filter((cell) => cell.trim().startsWith('+')).length,
      length: digits / Math.max(cells.length, 1),
    };
  });
  const most = Math.max(0, ...columns.map(({ count }) => count));
  const [best] = columns
    .filter(({ count }) => count > 0 && count >= most / 2)
    .toSorted((a, b) => b.rank - a.rank || b.plus - a.plus || b.length - a.length || b.count - a.count);
  return best?.index ?? 0;
}

function isNumber(cell: string): boolean {
  return (parseMsisdn(cell.trim()) ?? guessMsisdn(cell)) !== undefined;
}

/** True for what has the digits of a number, such as one without its country code. */
function isMeantAsNumber(cell: string): boolean {
  return !/\p{L}/u.test(cell) && cell.replaceAll(/\D/g, '').length >= 7;
}
