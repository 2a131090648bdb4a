import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { doctor } from '../../tools/cli/doctor.ts';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { createDatabase } from '../support/database.ts';
import { startService } from '../support/service.ts';
import { testDrill } from './figures.ts';
import { testWithTls } from '../support/authority.ts';
import { type TlsServers, startTlsServers } from '../support/tls-servers.ts';

const SECRETS_KEY = Buffer.alloc(32).toString('base64');
const AUTHORITY = 'name the file of that authority in NODE_EXTRA_CA_CERTS, or for Postgres as sslrootcert';
const environment = { ...process.env };
const authorities = getCACertificates('default');

let servers: TlsServers;
beforeAll(async () => {
  if (testWithTls !== test.skip) servers = await startTlsServers();
});
afterEach(() => {
  process.env = { ...environment };
  setDefaultCACertificates(authorities);
});
afterAll(async () => {
  await servers?.[Symbol.asyncDispose]();
});

testDrill('the service uses a Postgres and a Redis whose certificates it verifies', async () => {
  const databaseUrl = verified(servers.databaseUrl('localhost'), servers.authority);
  setDefaultCACertificates([readFileSync(servers.authority, 'utf8')]);

  await using service = await startService({
    queue: 'redis',
    queueUrl: servers.queueUrl('localhost'),
    databaseUrl,
    apps: ['dlr-worker'],
    env: { NODE_EXTRA_CA_CERTS: servers.authority },
  });

  expect(service.stack.process('dlr-worker').isReady()).toBeTruthy();
  expect(await examine('localhost', servers.authority)).toEqual([
    expect.stringMatching(/^ok postgres Postgres /),
    expect.stringMatching(/^ok redis Redis /),
  ]);
});

testWithTls('a certificate by another authority or for another host is explained', async () => {
  expect(await examine('localhost', servers.otherAuthority)).toEqual([
    expect.stringContaining(AUTHORITY),
    expect.stringContaining(AUTHORITY),
  ]);
  expect(await examine('127.0.0.1', servers.authority)).toEqual([
    expect.stringMatching(/IP: 127\.0\.0\.1 .* Its certificate is for other names: use one of them/),
    expect.stringMatching(/IP: 127\.0\.0\.1 .* Its certificate is for other names: use one of them/),
  ]);
});

testDrill('a start with a certificate that cannot be verified ends, and says why', async () => {
  const DATABASE_URL = verified(servers.databaseUrl('localhost'), servers.otherAuthority);
  const env = {
    ...process.env,
    DATABASE_URL,
    QUEUE_URL: servers.queueUrl('localhost'),
    SECRETS_KEY,
    PORT: '0',
  };
  const main = join(import.meta.dirname, '../../apps/dlr-worker/dist/bundle/main.js');

  const { code, output } = await runToEnd(main, env);

  expect(code).toBe(1);
  const last = JSON.parse(output.trimEnd().split('\n').at(-1) ?? '') as object;
  expect(last).toMatchObject({
    level: 'error',
    event: 'process.start_failed',
    error: { advice: expect.stringContaining(AUTHORITY) },
  });
});

testDrill('a server without TLS, and a client without, are explained', async () => {
  await using plain = await createDatabase();
  const plainRedis = process.env['TEST_REDIS_URL'] ?? '';

  const noClient = await examineUrls(plain.url, servers.queueUrl('localhost').replace('rediss:', 'redis:'));
  const noServers = await examineUrls(
    verified(plain.url, servers.authority),
    plainRedis.replace('redis:', 'rediss:'),
  );

  expect(noClient.at(-1)).toContain('a server that expects TLS needs rediss://');
  expect(noServers).toEqual([
    expect.stringContaining('does not support SSL connections. The server does not use TLS at this port'),
    expect.stringContaining('a server without TLS needs redis://'),
  ]);
});

testWithTls('an expired certificate is explained', async () => {
  await servers.expire();

  await waitFor(
    async () =>
      (await examine('localhost', servers.authority)).every((line) =>
        line.endsWith('certificate has expired. Its certificate has expired: renew it.'),
      ),
    { otherwise: 'the expired certificate was not noticed' },
  );
});

/** The findings on Postgres and Redis, as `level part text`, of connections that trust one authority. */
function examine(host: string, authority: string): Promise<string[]> {
  setDefaultCACertificates([readFileSync(authority, 'utf8')]);
  return examineUrls(verified(servers.databaseUrl(host), authority), servers.queueUrl(host));
}

async function examineUrls(DATABASE_URL: string, QUEUE_URL: string): Promise<string[]> {
  Object.assign(process.env, { DATABASE_URL, QUEUE_URL, SECRETS_KEY });
  const report = await doctor.run([]).catch((error: Error) => error.message);
  return report
    .split('\n')
    .map((line) => line.replaceAll(/ +/g, ' '))
    .filter((line) => /^\w+ (postgres|redis) /.test(line));
}

const verified = (url: string, authority: string): string =>
  `${url}?sslmode=verify-full&sslrootcert=${authority}`;

function runToEnd(main: string, env: NodeJS.ProcessEnv): Promise<{ code: unknown; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [main], { env }, (error, output) => resolve({ code: error?.code, output }));
  });
}
