import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

const TRIES = 100;

/**
 * Returns the first free port of 127.0.0.1 from `preferred` on; 0 asks for any.
 *
 * @param taken ports reserved for processes that do not listen yet; the result is added
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
  throw new Error(`no free port from ${preferred} to ${preferred + TRIES - 1}`);
}

/**
 * Reserves one port of 127.0.0.1.
 *
 * @throws Error when it is taken
 */
export async function thisPort(port: number, taken: Set<number>): Promise<number> {
  if (taken.has(port) || (await tryPort(port)) === undefined)
    throw new Error(
      `port ${port} is taken. Set PORT to a free one, or leave it out to use the next free one.`,
    );
  taken.add(port);
  return port;
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
