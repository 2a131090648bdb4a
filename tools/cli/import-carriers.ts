import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { importCarriers } from '@signalbox/database/ops/carriers';
import { readCarrierCsv } from '@signalbox/domain/routing/carrier-csv';
import { type Command, UsageError, databaseUrl, positionalsOf, wordsOn } from './command.ts';

export const importCarrierFile: Command = {
  forms: ['<file.csv>'],
  details: 'The file has the header prefix,operator,circle. A file with a bad line changes nothing.',
  async run(args) {
    const [path, ...rest] = positionalsOf(args);
    if (!path || rest.length > 0) throw new UsageError('Name one file.');
    try {
      const lines = linesOf(await open(path));
      const count = await importCarriers(databaseUrl(), readCarrierCsv(lines), basename(path));
      return `${count} prefixes were imported. They are in use everywhere within a minute.`;
    } catch (cause) {
      throw new Error(`Nothing was imported.\n${wordsOn(cause, path)}`, { cause });
    }
  },
};

/** Starts to read with the first iteration: a readline interface drops the lines it reads before that. */
async function* linesOf(file: FileHandle): AsyncGenerator<string> {
  yield* file.readLines();
}
