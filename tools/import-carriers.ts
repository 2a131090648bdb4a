import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { importCarriers } from '@signalbox/database/ops/carriers';
import { readCarrierCsv } from '@signalbox/domain/routing/carrier-csv';

const USAGE = `Usage: node tools/import-carriers.ts <file.csv>
Replaces the carrier table in the database of DATABASE_URL. The file has the header prefix,operator,circle.`;

try {
  const [file] = process.argv.slice(2);
  const databaseUrl = process.env.DATABASE_URL;
  if (process.argv.length !== 3 || !file) throw new Error(USAGE);
  if (!databaseUrl) throw new Error('DATABASE_URL is not set.');
  const lines = linesOf(await open(file));
  const count = await importCarriers(databaseUrl, readCarrierCsv(lines), basename(file));
  console.log(`${count} prefixes were imported. They are in use everywhere within a minute.`);
} catch (error) {
  console.error(`Nothing was imported.\n${(error as Error).message}`);
  process.exitCode = 1;
}

/** Starts to read with the first iteration: a readline interface drops the lines it reads before that. */
async function* linesOf(file: FileHandle): AsyncGenerator<string> {
  yield* file.readLines();
}
