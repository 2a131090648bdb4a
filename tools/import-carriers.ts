import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { importCarriers } from '@signalbox/database/ops/carriers';
import { readOperatorCsv } from '@signalbox/domain/routing/carrier-csv';

const USAGE = `Usage: node tools/import-operators.ts <file.csv>
Replaces the table of operators and circles in the database of DATABASE_URL. The file has the header prefix,operator,circle.`;

try {
  const [file] = process.argv.slice(2);
  const databaseUrl = process.env.DATABASE_URL;
  if (process.argv.length !== 3 || !file) throw new Error(USAGE);
  if (!databaseUrl) throw new Error('DATABASE_URL is not set.');
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity });
  const count = await importCarriers(databaseUrl, readOperatorCsv(lines), basename(file));
  console.log(`${count} prefixes are in use, everywhere within a minute.`);
} catch (error) {
  console.error(`Nothing was imported.\n${(error as Error).message}`);
  process.exitCode = 1;
}
