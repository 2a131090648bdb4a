import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const TOOL = join(import.meta.dirname, '../../tools/cli/main.ts');

/** Runs a command of `npm run cli` on a database. `output` is what it writes, errors included. Needs a build. */
export async function runCli(
  databaseUrl: string,
  ...args: string[]
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [TOOL, ...args], {
    env: { ...process.env, DATABASE_URL: databaseUrl, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}
