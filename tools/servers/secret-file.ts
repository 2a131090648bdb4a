import { readFileSync, writeFileSync } from 'node:fs';

/** The secret kept in a file that only its owner may read; made by `make` the first time. */
export function keptSecret(path: string, make: () => string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const secret = make();
  writeFileSync(path, `${secret}\n`, { mode: 0o600, flag: 'wx' });
  return secret;
}
