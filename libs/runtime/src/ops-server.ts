import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { register } from 'prom-client';

/** State that an app exposes on its ops port. */
export interface Ops {
  /** Names of what is unavailable; empty when the app is ready. */
  notReady: () => Promise<string[]>;
}

/** An open port of operations. */
export interface OpsServer {
  port: number;
  close: () => Promise<void>;
}

/**
 * Serves `/healthz`, `/readyz` and `/metrics` of a worker. Resolves when the port is open.
 *
 * @param port 0 for any free one
 * @throws Error when the port is taken
 */
export function serveOps(ops: Ops, port: number, host: string): Promise<OpsServer> {
  return serve((path) => answer(ops, path), port, host);
}

/**
 * Serves the port of an app that waits for something at its start: it is alive, and everything else is 503. Resolves
 * when the port is open.
 */
export function serveWaiting(waitingFor: string[], port: number, host: string): Promise<OpsServer> {
  return serve(async (path) => (path === '/healthz' ? ALIVE : readiness(waitingFor)), port, host);
}

async function serve(
  answerAt: (path: string) => Promise<Answer>,
  port: number,
  host: string,
): Promise<OpsServer> {
  const server = createServer((request, response) => {
    void answerAt(request.url ?? '')
      .catch(failure)
      .then(({ status, type, body }) => {
        const retry = status === 503 ? { 'retry-after': '1' } : {};
        response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', ...retry }).end(body);
      });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return { port: (server.address() as AddressInfo).port, close: () => closeServer(server) };
}

interface Answer {
  status: number;
  type: string;
  body: string;
}

const ALIVE = json(200, { status: 'ok' });

async function answer(ops: Ops, path: string): Promise<Answer> {
  if (path === '/healthz') return ALIVE;
  if (path === '/readyz') return readiness(await ops.notReady());
  if (path === '/metrics') return { status: 200, type: register.contentType, body: await register.metrics() };
  return json(404, { status: 'not found', paths: ['/healthz', '/readyz', '/metrics'] });
}

function readiness(notReady: string[]): Answer {
  return notReady.length === 0
    ? json(200, { status: 'ready' })
    : json(503, { status: 'not ready', waitingFor: notReady });
}

/** Answers a state that cannot be read. It must not end the process, as an unhandled rejection would. */
function failure(error: unknown): Answer {
  return json(500, { status: 'failed', error: String(error) });
}

function json(status: number, body: object): Answer {
  return { status, type: 'application/json', body: JSON.stringify(body) };
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
