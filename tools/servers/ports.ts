import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

const TRIES = 100;

/**
 * The first port from `preferred` on that nobody listens on at 127.0.0.1; 0 asks for any.
 *
 * @param taken ports promised to others that do not listen yet; the answer is added
 * @throws Error when a hundred ports in a row are taken
 */
export async function freePort(preferred = 0, taken = new Set<number>()): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = await tryPort(preferred === 0 ? 0 : preferred + tries);
    if (port !== undefined && !taken.has(port)) {
      taken.add(port);
      return port;
    }
  }
  throw new Error(`no free port from ${preferred} on`);
}

async function tryPort(port: number): Promise<number | undefined> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch {
    return undefined;
  } finally {
    server.close();
  }
}
