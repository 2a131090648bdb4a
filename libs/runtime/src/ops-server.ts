import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { register } from 'prom-client';

/** State that an app exposes on its ops port. */
export interface Ops {
  /** Names of what is unavailable; empty when the app is ready. */
  notReady: () => Promise<string[]>;
}

/** Serves `/healthz`, `/readyz` and `/metrics` of a worker. Resolves when the port is open. */
export async function serveOps(
  ops: Ops,
  port: number,
  host: string,
): Promise<{ port: number; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    void answer(ops, request.url ?? '').then(({ status, type, body }) => {
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
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

async function answer(ops: Ops, path: string): Promise<Answer> {
  if (path === '/healthz') return json(200, { status: 'ok' });
  if (path === '/readyz') return readiness(await ops.notReady());
  if (path === '/metrics') return { status: 200, type: register.contentType, body: await register.metrics() };
  return json(404, { status: 'not found', paths: ['/healthz', '/readyz', '/metrics'] });
}

function readiness(notReady: string[]): Answer {
  return notReady.length === 0
    ? json(200, { status: 'ready' })
    : json(503, { status: 'not ready', waitingFor: notReady });
}

function json(status: number, body: object): Answer {
  return { status, type: 'application/json', body: JSON.stringify(body) };
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
