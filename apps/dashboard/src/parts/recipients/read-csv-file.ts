import { type RecipientFile, toFile } from './recipients.ts';

const MAX_BYTES = 10_000_000;

/** Reads a CSV file with any separator; the parser is loaded with the first file. */
export async function readCsvFile(file: File): Promise<RecipientFile | { problem: string }> {
  if (file.size > MAX_BYTES) return { problem: 'The file is larger than 10 MB. Split it.' };
  const { default: Papa } = await import('papaparse');
  const { data, errors } = Papa.parse<string[]>(await file.text(), { skipEmptyLines: 'greedy' });
  const error = errors.find(({ type }) => type === 'Quotes');
  if (error) return { problem: `Row ${(error.row ?? 0) + 1} cannot be read: ${error.message}.` };
  if (data.length === 0) return { problem: 'The file is empty.' };
  return toFile(file.name, data);
}
