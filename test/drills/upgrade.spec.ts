import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, test } from '@jest/globals';
import { freePort } from '../../tools/servers/ports.ts';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { Load } from '../support/load.ts';
import { startReceiver } from '../support/receiver.ts';
import { RECOVERY_MS, startService } from '../support/service.ts';
import { startPrimary } from '../support/standby.ts';
import { startRedis } from '../support/redis.ts';

/** The folder of a built checkout of an earlier version. */
const EARLIER = process.env['DRILL_FROM'] ?? '';

const testUpgrade = EARLIER === '' ? test.skip : test;

testUpgrade('an earlier version works while the schema is migrated, and next to new processes', async () => {
  await using primary = await startPrimary();
  await using redis = await startRedis();
  const env = {
    SECRETS_KEY: randomBytes(32).toString('base64'),
    OTP_PEPPER: randomBytes(32).toString('base64'),
    DATABASE_URL: primary.url,
    QUEUE_URL: redis.url,
    LOG_LEVEL: 'warn',
  };
  await using earlier = await startEarlier(env);
  await using receiver = await startReceiver();
  const created = await fetch(`${earlier.apiUrl}/v1/webhooks`, {
    method: 'POST',
    headers: { apikey: earlier.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'reports', endPoint: receiver.url, maxInFlight: 64 }),
  });
  expect(created.status).toBe(201);
  await using old = new Load({ apiUrl: earlier.apiUrl, apiKey: earlier.apiKey });
  await old.more(300);

  await using service = await startService({
    queue: 'redis',
    queueUrl: redis.url,
    databaseUrl: primary.url,
    env,
  });
  await using beside = new Load({ apiUrl: service.stack.apiUrl, apiKey: earlier.apiKey });
  await Promise.all([old.more(300), beside.more(300)]);
  await old.stop();
  await earlier.stop();
  await beside.more(300);
  await beside.stop();

  const accepted = [...old.accepted.keys(), ...beside.accepted.keys()];
  const missing = () => accepted.filter((id) => !receiver.messageIds().has(id));
  await waitFor(() => missing().length === 0, {
    timeoutMs: RECOVERY_MS,
    otherwise: 'accepted messages were not pushed',
  });
  process.stdout.write(
    `upgrade: ${accepted.length} accepted, ${receiver.received.length - accepted.length} pushed twice, failures ${JSON.stringify([old.failures(), beside.failures()])}\n${earlier.problems().join('\n')}\n`,
  );
  expect([old.failures(), beside.failures()]).toEqual([{}, {}]);
  expect(earlier.problems()).toEqual([]);
});

interface Earlier extends AsyncDisposable {
  apiUrl: string;
  apiKey: string;
  /** Errors that its processes logged. */
  problems: () => string[];
  stop: () => Promise<void>;
}

async function startEarlier(env: NodeJS.ProcessEnv): Promise<Earlier> {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-drill-earlier-'));
  const port = await freePort();
  const child = spawn(process.execPath, ['tools/start/main.ts', '--data', dir], {
    cwd: EARLIER,
    env: { ...process.env, ...env, PORT: String(port), LOG: 'json' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
  const apiUrl = `http://127.0.0.1:${port}`;
  const isReady = () =>
    fetch(`${apiUrl}/readyz`).then(
      ({ ok }) => ok && output.includes('Signalbox is running'),
      () => false,
    );
  await waitFor(isReady, { otherwise: 'the earlier version did not start' }).catch((error: unknown) => {
    throw new Error(output.slice(-2_000), { cause: error });
  });
  const { SIGNALBOX_API_KEY: apiKey = '' } = parseEnv(
    readFileSync(join(dir, 'demo.env'), 'utf8').replaceAll('export ', ''),
  );
  const stop = () => end(child);
  return {
    apiUrl,
    apiKey,
    problems: () =>
      output
        .split('\n')
        .filter((line) => /"level":"error"/.test(line))
        .map((line) => line.slice(0, 600)),
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
