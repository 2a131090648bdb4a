import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerCommands } from './side-process.ts';

/** Behaviour of an unhealthy endpoint, by its path. */
const BEHAVIOURS: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  '/hangs': () => undefined,
  '/resets': ({ socket }) => socket.resetAndDestroy(),
  '/fails': (_, response) => response.writeHead(500).end(),
  '/refuses': (_, response) => response.writeHead(429, { 'retry-after': '5' }).end(),
  '/drips': ({ socket }) => drip(socket),
};

let calls = 0;

/** Writes one byte of a header every 100 ms until the caller disconnects. */
function drip(socket: IncomingMessage['socket']): void {
  socket.write('HTTP/1.1 200 OK\r\nx-drip: ');
  const timer = setInterval(() => socket.write('.'), 100);
  socket.on('close', () => clearInterval(timer));
}

/** Unhealthy endpoints: the dead half of the bench `isolation`. */
const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
  request.resume();
  request.on('end', () => {
    calls += 1;
    BEHAVIOURS[request.url ?? '']?.(request, response);
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  answerCommands({
    urls: () => Object.keys(BEHAVIOURS).map((path) => `http://127.0.0.1:${port}${path}`),
    calls: () => calls,
  });
});
