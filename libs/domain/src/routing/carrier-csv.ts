import type { CarrierPrefix } from './carrier-table.ts';

const HEADER = 'prefix,operator,circle';
const PREFIX = /^[1-9]\d{0,14}$/;
const MAX_NAME_LENGTH = 100;
const MAX_PROBLEMS = 20;

/** A CSV file that cannot be imported; the message names each problem with its line. */
export class CarrierCsvError extends Error {
  override name = 'CarrierCsvError';
}

/**
 * Reads a carrier table line by line, in the format that docs/operations.md describes.
 *
 * @throws CarrierCsvError after the last line, or after 20 problems
 */
export async function* readCarrierCsv(lines: AsyncIterable<string>): AsyncGenerator<CarrierPrefix> {
  const problems: string[] = [];
  const seen = new Set<number>();
  let number = 0;
  for await (const line of lines) {
    number += 1;
    const text = number === 1 ? line.replace(/^\uFEFF/, '') : line;
    if (number > 1 && text === '') continue;
    const entry = number === 1 ? checkHeader(text) : readLine(text, seen);
    if (typeof entry === 'string') problems.push(`line ${number}: ${entry}`);
    else if (entry && problems.length === 0) yield entry;
    if (problems.length === MAX_PROBLEMS) break;
  }
  if (number === 0) problems.push('the file is empty');
  if (problems.length > 0) throw new CarrierCsvError(problems.join('\n'));
}

function checkHeader(text: string): string | undefined {
  return text.trim().toLowerCase() === HEADER ? undefined : `must be the header ${HEADER}`;
}

/** Returns the entry of a line, or its problem. */
function readLine(text: string, seen: Set<number>): CarrierPrefix | string {
  const cells = splitCells(text);
  if (cells?.length !== 3) return 'must have three cells: prefix, operator and circle';
  const [prefix = '', operator = '', circle = ''] = cells.map((cell) => cell.trim());
  if (!PREFIX.test(prefix)) return 'prefix must be 1 to 15 digits that begin with a country code';
  if (seen.has(Number(prefix))) return `prefix ${prefix} stands on an earlier line`;
  if (operator === '') return 'operator must not be empty';
  if (!isName(operator) || !isName(circle))
    return `operator and circle must be at most ${MAX_NAME_LENGTH} printable characters`;
  seen.add(Number(prefix));
  return { prefix, operator, circle };
}

function isName(text: string): boolean {
  return text.length <= MAX_NAME_LENGTH && text.isWellFormed() && !/\p{Cc}/u.test(text);
}

const CELL = /"((?:[^"]|"")*)"(,|$)|([^",]*)(,|$)/y;

/** Splits a line of CSV (RFC 4180) without line ends in cells; undefined if its quotes do not match. */
function splitCells(line: string): string[] | undefined {
  const cells: string[] = [];
  CELL.lastIndex = 0;
  for (;;) {
    const match = CELL.exec(line);
    if (!match) return undefined;
    cells.push(match[1]?.replaceAll('""', '"') ?? match[3] ?? '');
    if ((match[2] ?? match[4]) === '') return cells;
  }
}
