import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { keptSecret } from './secret-file.ts';
import { SupervisedProcess } from './supervised-process.ts';
import { emptyLog, waitUntilUp } from './wait-until-up.ts';

export interface RedisOptions {
  /** The folder that holds data, log and password; it exists. */
  dir: string;
  port: number;
  onEvent?: ((text: string) => void) | undefined;
  signal?: AbortSignal | undefined;
}

export interface Redis extends AsyncDisposable {
  url: string;
  process: SupervisedProcess;
  /** Starts it and waits until it answers; one that runs already is left alone. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Wipes all it holds. */
  flush(): Promise<void>;
}

/** Returns true when a `redis-server` is installed. */
export function hasRedis(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/**
 * Starts a private Redis on 127.0.0.1, behind a password, and waits until it answers. It never evicts (a job is not a
 * cache entry), and flushes its log of writes every second.
 *
 * @throws Error with the end of its log when it does not come up within five minutes
 */
export async function startRedis(options: RedisOptions): Promise<Redis> {
  const { dir, port } = options;
  const password = keptSecret(join(dir, 'redis.password'), () => randomBytes(24).toString('base64url'));
  const data = join(dir, 'redis');
  const logFile = join(dir, 'redis.log');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  emptyLog(logFile);
  const server = new SupervisedProcess({
    name: 'redis',
    command: 'redis-server',
    args: ['-'],
    input: config({ port, data, password }),
    logFile,
    pidFile: join(dir, 'redis.pid'),
    onEvent: options.onEvent,
  });
  const start = async () => {
    await server.start();
    await waitUntilUp(server, () => isReady(port, password), logFile, options.signal);
  };
  try {
    await start();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    url: `redis://:${password}@127.0.0.1:${port}`,
    process: server,
    start,
    stop: () => server.stop(),
    flush: async () => void (await ask(port, password, 'FLUSHALL')),
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

/**
 * Returns the configuration, which is passed on standard input, because a list of processes would show a password among
 * the arguments.
 */
function config({ port, data, password }: { port: number; data: string; password: string }): string {
  const lines = [
    `bind 127.0.0.1`,
    `port ${port}`,
    `dir ${JSON.stringify(data)}`,
    `requirepass ${password}`,
    `appendonly yes`,
    `appendfsync everysec`,
    `save ""`,
    `maxmemory-policy noeviction`,
    `daemonize no`,
  ];
  return `${lines.join('\n')}\n`;
}

async function isReady(port: number, password: string): Promise<boolean> {
  const answer = await ask(port, password, 'PING').catch(() => '');
  return answer.includes('+PONG');
}

/** Sends one command over a new connection; resolves with the whole answer. */
function ask(port: number, password: string, command: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.setTimeout(5_000, () => socket.destroy(new Error('redis does not answer')));
  socket.on('data', (chunk) => (answer += chunk.toString()));
  socket.on('error', reject);
  socket.on('close', () => resolve(answer));
  socket.write(`AUTH ${password}\r\n${command}\r\nQUIT\r\n`);
  return promise;
}
