import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePidFile } from '../../tools/servers/pid-file.ts';
import { freePort } from '../../tools/servers/ports.ts';
import { findPostgresHome } from '../../tools/servers/postgres-home.ts';
import { startPostgres } from '../../tools/servers/postgres.ts';
import { SupervisedProcess } from '../../tools/servers/supervised-process.ts';
import { waitUntilUp } from '../../tools/servers/wait-until-up.ts';
import { makeCertificates } from './authority.ts';
import { queryOnce } from './database.ts';
import { makeServerFolder } from './server-folder.ts';

const PASSWORD = 'of-the-test';

/** A Postgres and a Redis whose certificate is for `localhost`. */
export interface TlsServers extends AsyncDisposable {
  /** Addresses by the name, or the number, of the host. */
  databaseUrl: (host: string) => string;
  queueUrl: (host: string) => string;
  /** The file of the authority that signed the certificate, and of another. */
  authority: string;
  otherAuthority: string;
  /** Gives both servers a certificate that has expired, for new connections. */
  expire: () => Promise<void>;
}

/** Starts both servers in one temporary folder, with certificates made by openssl. */
export async function startTlsServers(): Promise<TlsServers> {
  await using started = new AsyncDisposableStack();
  const dir = started.adopt(makeServerFolder('signalbox-test-tls-'), (path) =>
    rmSync(path, { recursive: true, force: true }),
  );
  chmodSync(dir, 0o711);
  writePidFile(join(dir, 'run.owner'), process.pid);
  makeCertificates(dir);
  const certificate = join(dir, 'current.pem');
  const key = join(dir, 'server.key');
  const { user } = findPostgresHome(dir);
  const use = (name: string): void => {
    copyFileSync(join(dir, name), certificate);
    if (user) for (const path of [certificate, key]) chownSync(path, user.uid, user.gid);
  };
  use('server.pem');
  const settings = { ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key };
  const postgres = started.use(await startPostgres({ dir, port: await freePort(), settings }));
  const redisPort = await startRedis(started, dir, certificate, key);
  const all = started.move();
  return {
    databaseUrl: (host) => postgres.url.replace('127.0.0.1', host),
    queueUrl: (host) => `rediss://:${PASSWORD}@${host}:${redisPort}`,
    authority: join(dir, 'authority.pem'),
    otherAuthority: join(dir, 'other.pem'),
    expire: async () => {
      use('expired.pem');
      await queryOnce(postgres.url, 'SELECT pg_reload_conf()');
      redisCli(redisPort, 'CONFIG', 'SET', 'tls-cert-file', certificate);
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function startRedis(
  started: AsyncDisposableStack,
  dir: string,
  certificate: string,
  key: string,
): Promise<number> {
  const port = await freePort();
  const logFile = join(dir, 'redis.log');
  writeFileSync(logFile, '');
  const lines = [
    'port 0',
    `tls-port ${port}`,
    'bind 127.0.0.1',
    `dir ${dir}`,
    `tls-cert-file ${certificate}`,
    `tls-key-file ${key}`,
    'tls-auth-clients no',
    `tls-ca-cert-file ${join(dir, 'authority.pem')}`,
    `requirepass ${PASSWORD}`,
    'appendonly yes',
    'save ""',
    'maxmemory-policy noeviction',
  ];
  const server = new SupervisedProcess({
    name: 'redis',
    command: 'redis-server',
    args: ['-'],
    input: `${lines.join('\n')}\n`,
    logFile,
    pidFile: join(dir, 'redis.pid'),
  });
  started.use(server);
  await server.start();
  await waitUntilUp(server, async () => redisCli(port, 'PING') === 'PONG', logFile);
  return port;
}

function redisCli(port: number, ...command: string[]): string {
  const args = ['-p', String(port), '--tls', '--insecure', ...command];
  const env = { ...process.env, REDISCLI_AUTH: PASSWORD };
  try {
    return execFileSync('redis-cli', args, { env, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return '';
  }
}
