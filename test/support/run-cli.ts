import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const TOOL = join(import.meta.dirname, '../../tools/cli/main.ts');

/**
 * Runs a command of `npm run cli`. `output` is what it writes, errors included. Needs a build.
 *
 * @param settings address of the database, or variables of the environment
 */
export async function runCli(
  settings: string | NodeJS.ProcessEnv,
  ...args: string[]
): Promise<{ code: number | null; output: string }> {
  const given = typeof settings === 'string' ? { DATABASE_URL: settings } : settings;
  const child = spawn(process.execPath, [TOOL, ...args], {
    env: { ...process.env, ...given, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}
