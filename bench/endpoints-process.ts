import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerCommands } from './side-process.ts';

type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;

/** Behaviour of an unhealthy endpoint, by its path. */
const UNHEALTHY: Record<string, Behaviour> = {
  '/hangs': () => undefined,
  '/resets': ({ socket }) => socket.resetAndDestroy(),
  '/fails': (_, response) => response.writeHead(500).end(),
  '/refuses': (_, response) => response.writeHead(429, { 'retry-after': '5' }).end(),
  '/drips': ({ socket }) => drip(socket),
};

/** Behaviour of an endpoint that answers well, but late, by its path. */
const BUSY: Record<string, Behaviour> = {
  '/slow': (_, response) => void setTimeout(() => response.end(), SLOW_MS),
  '/overloaded': (_, response) => answerInTurn(response),
};
const SLOW_MS = 120;
const OVERLOADED_PER_SECOND = 1_500;

const BEHAVIOURS = { ...UNHEALTHY, ...BUSY };

let calls = 0;
/** When `/overloaded` answers its last call, by `performance.now()`. */
let lastAnswerAt = 0;

/** Writes one byte of a header every 100 ms until the caller disconnects. */
function drip(socket: IncomingMessage['socket']): void {
  socket.write('HTTP/1.1 200 OK\r\nx-drip: ');
  const timer = setInterval(() => socket.write('.'), 100);
  socket.on('close', () => clearInterval(timer));
}

/** Answers the calls one after another, at OVERLOADED_PER_SECOND. */
function answerInTurn(response: ServerResponse): void {
  const now = performance.now();
  lastAnswerAt = Math.max(now, lastAnswerAt + 1000 / OVERLOADED_PER_SECOND);
  setTimeout(() => response.end(), lastAnswerAt - now);
}

/** The endpoints of the bench `isolation` that are not healthy. */
const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
  request.resume();
  request.on('end', () => {
    calls += 1;
    BEHAVIOURS[request.url ?? '']?.(request, response);
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  const urlsOf = (behaviours: object): string[] =>
    Object.keys(behaviours).map((path) => `http://127.0.0.1:${port}${path}`);
  answerCommands({
    urls: () => ({ unhealthy: urlsOf(UNHEALTHY), busy: urlsOf(BUSY) }),
    calls: () => calls,
  });
});
