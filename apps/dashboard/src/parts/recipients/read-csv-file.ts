import { type RecipientFile, toFile } from './recipients.ts';

const MAX_BYTES = 10_000_000;

/** Reads a CSV file with any separator; the parser is loaded with the first file. */
export async function readCsvFile(file: File): Promise<RecipientFile | { problem: string }> {
  if (file.size > MAX_BYTES) return { problem: 'The file is larger than 10 MB. Split it.' };
  const { text, encoding } = decode(new Uint8Array(await file.arrayBuffer()));
  const { default: Papa } = await import('papaparse');
  // blank rows would mislead the guess of the separator, but count in the numbers of the rows
  const { delimiter } = Papa.parse(text, { preview: 10, skipEmptyLines: 'greedy' }).meta;
  const { data, errors } = Papa.parse<string[]>(text, { delimiter });
  const error = errors.find(({ type }) => type === 'Quotes');
  if (error) return { problem: `Row ${(error.row ?? 0) + 1} cannot be read: ${error.message}.` };
  const read = toFile(file.name, data, encoding);
  return read.columns.length === 0 ? { problem: 'The file is empty.' } : read;
}

/**
 * Decodes a text file: UTF-8, UTF-16 by its byte order mark, else Windows-1252, in which Excel for Windows saves CSV.
 * Returns the encoding when it is not UTF-8.
 */
function decode(bytes: Uint8Array): { text: string; encoding?: string } {
  const marked = UTF_16[`${bytes[0]} ${bytes[1]}`];
  if (marked !== undefined) return { text: new TextDecoder(marked).decode(bytes), encoding: 'UTF-16' };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'Windows-1252' };
  }
}

/** UTF-16 by the byte order mark. */
const UTF_16: Readonly<Record<string, string>> = { '255 254': 'utf-16le', '254 255': 'utf-16be' };
