import { inTransaction } from '@signalbox/database/core/in-transaction';
import { type AppliedFile, applyGatewaysFile } from '@signalbox/messaging/routing-config/apply-gateways-file';
import { InvalidGatewaysFile } from '@signalbox/messaging/routing-config/gateways-file';
import { Sealer } from '@signalbox/runtime/seal';

/** Applies a file of gateways and routes. @returns a summary @throws Error that names each problem with its line */
export async function apply([given, ...rest]: string[]): Promise<string> {
  if (rest.length > 0) throw new Error('apply takes one file.');
  const { GATEWAYS_FILE, DATABASE_URL, SECRETS_KEY, SECRETS_KEYS_OLD = '' } = process.env;
  const path = given ?? GATEWAYS_FILE;
  if (!path) throw new Error('Name a file, or set GATEWAYS_FILE.');
  if (!DATABASE_URL) throw new Error('DATABASE_URL is not set.');
  if (!SECRETS_KEY) throw new Error('SECRETS_KEY is not set: it seals the credentials, as that of the api.');
  const sealer = new Sealer(SECRETS_KEY, ...SECRETS_KEYS_OLD.split(',').filter((key) => key !== ''));
  try {
    const applied = await inTransaction(DATABASE_URL, 'signalbox-cli', (db) =>
      applyGatewaysFile(db, sealer, path, process.env),
    );
    return summaryOf(applied);
  } catch (error) {
    if (!(error instanceof InvalidGatewaysFile)) throw error;
    throw new Error(`${path} is not applied:\n${error.message}`, { cause: error });
  }
}

function summaryOf({ created, changed, disabled }: AppliedFile): string {
  const lines = Object.entries({ created, changed, disabled }).flatMap(([what, names]) =>
    names.length === 0 ? [] : [`${what}: ${names.join(', ')}`],
  );
  return lines.length === 0 ? 'Nothing changed.' : lines.join('\n');
}
