import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';

/** A server on this machine that counts its connections. */
export interface Listener extends AsyncDisposable {
  port: number;
  url: string;
  connects: () => number;
  /** Resolves when all connections are closed. */
  hungUp: () => Promise<void>;
}

/** Makes a server listen on a free port, by default on loopback. */
export async function listen(server: net.Server, host = '127.0.0.1'): Promise<Listener> {
  const sockets = new Map<net.Socket, Promise<void>>();
  let connects = 0;
  server.on('connection', (socket: net.Socket) => {
    connects += 1;
    socket.on('error', () => undefined);
    sockets.set(socket, new Promise((resolve) => socket.on('close', () => resolve())));
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/hook?a=1`,
    connects: () => connects,
    hungUp: async () => void (await Promise.all(sockets.values())),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets.keys()) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Starts an HTTP server. */
export function listenHttp(answer: http.RequestListener): Promise<Listener> {
  return listen(http.createServer(answer));
}

/** Starts a server that calls `speak` once a connection has sent its first bytes. */
export function listenRaw(speak: (socket: net.Socket) => void): Promise<Listener> {
  return listen(net.createServer((socket) => socket.once('data', () => speak(socket))));
}
