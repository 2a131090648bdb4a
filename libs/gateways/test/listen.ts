import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';

/** A listener on this machine, and who connected to it. */
export interface Listener extends AsyncDisposable {
  port: number;
  url: string;
  connects: () => number;
  /** Resolves when nobody is connected any more. */
  hungUp: () => Promise<void>;
}

/** Makes a server listen on loopback unless told, on a port of its own. */
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

/** An HTTP server that answers with `answer`. */
export function listenHttp(answer: http.RequestListener): Promise<Listener> {
  return listen(http.createServer(answer));
}

/** A server that does with the connection what `speak` says once a request came in, whether that is HTTP or not. */
export function listenRaw(speak: (socket: net.Socket) => void): Promise<Listener> {
  return listen(net.createServer((socket) => socket.once('data', () => speak(socket))));
}
