import { inTransaction } from '@signalbox/database/core/in-transaction';
import { type AppliedFile, applyGatewaysFile } from '@signalbox/messaging/routing-config/apply-gateways-file';
import { InvalidGatewaysFile } from '@signalbox/messaging/routing-config/gateways-file';
import { Sealer } from '@signalbox/runtime/seal';
import {
  type Command,
  UsageError,
  databaseUrl,
  findSetting,
  positionalsOf,
  setting,
  wordsOn,
} from './command.ts';

export const applyFile: Command = {
  forms: ['[file]'],
  details: 'The file is by default that of GATEWAYS_FILE. Repeating it changes nothing.',
  run: apply,
};

/** Applies a file of gateways and routes. @returns a summary @throws Error that names each problem with its line */
export async function apply(args: string[]): Promise<string> {
  const [given, ...rest] = positionalsOf(args);
  if (rest.length > 0) throw new UsageError('apply takes one file.');
  const path = given ?? findSetting('GATEWAYS_FILE');
  if (!path) throw new UsageError('Name a file, or set GATEWAYS_FILE.');
  const key = setting('SECRETS_KEY', 'it seals the credentials, and must be that of the apps.');
  const oldKeys = findSetting('SECRETS_KEYS_OLD') ?? '';
  const sealer = new Sealer(key, ...oldKeys.split(',').filter((old) => old !== ''));
  try {
    const applied = await inTransaction(databaseUrl(), 'signalbox-cli', (db) =>
      applyGatewaysFile(db, sealer, path, process.env),
    );
    return summaryOf(applied);
  } catch (error) {
    if (!(error instanceof InvalidGatewaysFile)) throw new Error(wordsOn(error, path), { cause: error });
    throw new Error(`${path} is not applied:\n${error.message}`, { cause: error });
  }
}

function summaryOf({ created, changed, disabled }: AppliedFile): string {
  const lines = Object.entries({ created, changed, disabled }).flatMap(([what, names]) =>
    names.length === 0 ? [] : [`${what}: ${names.join(', ')}`],
  );
  return lines.length === 0 ? 'Nothing changed.' : lines.join('\n');
}
