import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { type Service, startService } from '../support/service.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = [
  'README',
  'docs/sms',
  'docs/chatapp',
  'docs/verify',
  'docs/webhooks',
  'docs/simulator',
  'examples/README',
];
const TOOLS = ['curl', 'openssl'];

/** Begins a block that starts or builds something, rather than calls the API. */
const STARTS = /^(npm|docker|export DATABASE_URL)\b/;

/** Prints the status of each call, and fails none. */
const CURL = `#!/bin/sh
exec "$REAL_CURL" -w '%{stderr}@@ %{http_code} %{method} %{url_effective}\\n' "$@"
`;

/** A fenced block of a page, and the JSON that the page prints below it. */
interface Block {
  code: string;
  printed: unknown;
}

let service: Service;
let dir: string;
beforeAll(async () => {
  service = await startService({
    queue: 'postgres',
    apps: ['api', 'sms-worker', 'chatapp-worker', 'otp-worker', 'dlr-worker'],
  });
  dir = mkdtempSync(join(tmpdir(), 'signalbox-docs-'));
  symlinkSync(service.dir, join(dir, '.signalbox'));
  symlinkSync(join(ROOT, 'examples'), join(dir, 'examples'));
  writeFileSync(join(dir, 'curl'), CURL);
  chmodSync(join(dir, 'curl'), 0o755);
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true, force: true });
});

test.each(PAGES)('the shell blocks of %s run in order as a reader pastes them', async (page) => {
  const missing = TOOLS.filter((tool) => find(tool) === undefined);
  if (missing.length > 0) return console.warn(`skipped: ${missing.join(' and ')} not installed`);
  await using shell = openShell();

  const failures = [];
  for (const { code, printed } of readBlocks(page)) {
    const { exitCode, output, calls } = await shell.run(code);
    if (exitCode !== 0 || calls.some((call) => !/^@@ (2|302)/.test(call)))
      failures.push({ code, exitCode, calls, output });
    if (printed !== undefined) expect(shapeOf(JSON.parse(output))).toEqual(shapeOf(printed));
    await untilDone();
  }

  expect(failures).toEqual([]);
});

/** Lists the blocks of a page that call the API. */
function readBlocks(page: string): Block[] {
  const text = readFileSync(join(ROOT, `${page}.md`), 'utf8');
  const fences = text.matchAll(/^```sh\n(.*?)^```\n(?:```json\n(.*?)^```)?/gms);
  return [...fences].flatMap(([, code = '', json]) =>
    STARTS.test(code)
      ? []
      : [{ code, printed: json === undefined || json.includes('…') ? undefined : JSON.parse(json) }],
  );
}

/** Keys and types of a JSON value, without its contents. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shapeOf(each)]));
}

/** Waits as a reader does, until templates are reviewed, and codes and messages are sent. */
async function untilDone(): Promise<void> {
  const pending = `SELECT FROM template WHERE status = 'PENDING'
                   UNION ALL SELECT FROM verification WHERE status = 'WAITING'
                   UNION ALL SELECT FROM submission WHERE lane = 'OTP' AND fanned_out_at IS NULL
                   UNION ALL SELECT FROM message WHERE status = 'PENDING' AND held_until IS NULL`;
  await waitFor(async () => (await service.query(pending)).length === 0, {
    otherwise: 'something stayed pending',
  });
}

function find(tool: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, tool))
    .find((path) => isReadable(path));
}

function isReadable(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
}

/** One bash for a whole page, so that variables and functions last as in a reader's terminal. */
function openShell() {
  const env = { ...process.env, PATH: `${dir}${delimiter}${process.env['PATH']}`, REAL_CURL: find('curl') };
  const bash: ChildProcess = spawn('bash', ['--noprofile', '--norc'], { cwd: dir, env, detached: true });
  const lines: string[] = [];
  for (const stream of [bash.stdout, bash.stderr])
    if (stream) createInterface({ input: stream }).on('line', (line) => void lines.push(line));
  const closed = once(bash, 'close');
  return {
    run: async (code: string) => {
      lines.length = 0;
      bash.stdin?.write(`${code}\nexit_code=$?; echo; echo "@@done $exit_code"\n`);
      await waitFor(() => lines.some((line) => line.startsWith('@@done')), {
        otherwise: `a block did not end: ${code}`,
      });
      const done = lines.find((line) => line.startsWith('@@done')) ?? '';
      return {
        exitCode: Number(done.split(' ')[1]),
        calls: lines.filter((line) => /@@ \d/.test(line)).map((line) => line.slice(line.indexOf('@@'))),
        output: lines.filter((line) => !line.includes('@@')).join('\n'),
      };
    },
    [Symbol.asyncDispose]: async () => {
      // the group: a block may leave a server running in the background
      if (bash.pid !== undefined) process.kill(-bash.pid, 'SIGTERM');
      bash.stdin?.end();
      await closed;
    },
  };
}
