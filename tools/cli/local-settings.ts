import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

type Settings = Record<string, string | undefined>;

/**
 * Reads the settings of the `npm start` that runs on a data folder. An environment that names another database or
 * another API replaces them as a whole: their parts belong together.
 *
 * @param data data folder of `npm start`
 */
export function readLocalSettings(data: string, env: Settings): Settings {
  const access = readEnvFile(join(data, 'demo.env'));
  const isElsewhere = env['SIGNALBOX_URL'] && !isSameUrl(env['SIGNALBOX_URL'], access['SIGNALBOX_URL']);
  if (env['DATABASE_URL'] || isElsewhere) return {};
  return { ...access, ...readEnvFile(join(data, 'stack.env')) };
}

function isSameUrl(one: string, other = ''): boolean {
  const url = URL.parse(one)?.href;
  return url !== undefined && url === URL.parse(other)?.href;
}

function readEnvFile(path: string): Settings {
  return existsSync(path) ? parseEnv(readFileSync(path, 'utf8')) : {};
}
