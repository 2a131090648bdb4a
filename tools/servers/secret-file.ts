import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * The secret kept in a file that only its owner may read; made by `make` the first time. The file appears whole or not
 * at all, also when the disk is full.
 *
 * @throws Error that names a file without a secret, or one that cannot be read, and says what to do
 */
export function keptSecret(path: string, make: () => string): string {
  return readSecret(path) ?? keepSecret(path, make());
}

/** Says what to do about a secret that is lost. */
export const SECRET_ADVICE =
  'Restore it from a backup. Without one, `npm start -- --reset` removes all data and makes new secrets.';

function readSecret(path: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new Error(`a secret cannot be read: ${message}. It must be a file that this user may read.`, {
      cause: error,
    });
  }
  const secret = text.trim();
  if (secret === '') throw new Error(`the file ${path} holds no secret. ${SECRET_ADVICE}`);
  return secret;
}

function keepSecret(path: string, secret: string): string {
  const aside = `${path}.${process.pid}`;
  try {
    writeFileSync(aside, `${secret}\n`, { mode: 0o600, flush: true });
    renameSync(aside, path);
  } finally {
    rmSync(aside, { force: true });
  }
  return secret;
}
