import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type net from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { CallsAtOnce, CallsMade } from '../test/calls-process.ts';
import { listenRaw } from '../test/listen.ts';

const MB = 1024 * 1024;
const DEADLINE_MS = 1_500;

const chunk = Buffer.alloc(64 * 1024, 'x');
const bomb = gzipSync(Buffer.alloc(200 * MB));
const headers = `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(MB)}\r\n\r\n`;

/** Writes as fast as the client reads, until it disconnects. */
function pour(socket: net.Socket): void {
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', more);
  more();
}

function drip(socket: net.Socket): void {
  socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n');
  const timer = setInterval(() => socket.write('x'), 100);
  socket.on('close', () => clearInterval(timer));
}

/** Process that makes the calls, so that its memory is that of the client only. */
let caller: ChildProcess;

beforeAll(async () => {
  const execArgv = [
    '--experimental-transform-types',
    '--disable-warning=ExperimentalWarning',
    '--expose-gc',
    '--conditions=source',
  ];
  caller = fork(join(import.meta.dirname, '../test/calls-process.ts'), { execArgv });
  await using warm = await listenRaw((socket) =>
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'),
  );
  await ask({ url: warm.url, count: 100, totalTimeoutMs: DEADLINE_MS });
});
afterAll(async () => {
  caller.disconnect();
  await once(caller, 'exit');
});

async function ask(calls: CallsAtOnce): Promise<CallsMade> {
  caller.send(calls);
  const [made] = (await once(caller, 'message')) as [CallsMade];
  return made;
}

test.each<[string, (socket: net.Socket) => unknown, string]>([
  [
    'a success of 200 MB',
    (socket) => (socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${200 * MB}\r\n\r\n`), pour(socket)),
    'ok, bounded',
  ],
  [
    'a failure of 200 MB',
    (socket) => (socket.write(`HTTP/1.1 500 X\r\nContent-Length: ${200 * MB}\r\n\r\n`), pour(socket)),
    'bad_status, bounded',
  ],
  ['a header of 1 MB', (socket) => void socket.write(headers), 'headers_too_large, bounded'],
  [
    'a gzip bomb of 200 MB',
    (socket) => (
      socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`),
      socket.end(bomb)
    ),
    'ok, bounded',
  ],
  ['a byte every 100 ms', drip, 'ok, bounded'],
])('100 concurrent answers of %s cost at most 20 MB and respect the deadline', async (_, answer, outcome) => {
  await using server = await listenRaw((socket) => void answer(socket));

  const made = await ask({ url: server.url, count: 100, totalTimeoutMs: DEADLINE_MS });

  // on a slow machine some of the calls reach their deadline
  expect(made.outcomes.filter((each) => each !== 'timeout, bounded')).toEqual([outcome]);
  expect(made.longestMs).toBeLessThan(DEADLINE_MS * 10);
  expect(made.grownMb).toBeLessThan(20);
});
