import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import tls from 'node:tls';
import { type CertificateName, readCredentials } from '../support/certificates.ts';

/** An endpoint that breaks the rules of TCP, TLS or HTTP. */
export interface HostilePeer extends AsyncDisposable {
  name: string;
  url: string;
  /** Number of connections so far; undefined where nobody listens. */
  connections: () => number | undefined;
  /** True if each call to it lasts until a deadline. */
  isSlow: boolean;
}

type Act = (socket: Socket) => void;

interface Behaviour {
  /** Origin without its port; the certificate is for `localhost`. */
  address: 'http://127.0.0.1' | 'https://127.0.0.1' | 'https://localhost';
  act: Act;
  isSlow?: boolean;
}

const http = { address: 'http://127.0.0.1' } as const;
const https = { address: 'https://127.0.0.1' } as const;

const BEHAVIOURS: Record<string, Behaviour> = {
  'resets each connection': { ...http, act: reset },
  'answers before the request': {
    ...http,
    act: sending('HTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n', (socket) => socket.end()),
  },
  'resets after the request': { ...http, act: afterRequest(reset) },
  'closes after the request': { ...http, act: afterRequest((socket) => socket.end()) },
  'resets in the headers': { ...http, act: afterRequest(sending('HTTP/1.1 500 X\r\nContent-Le', reset)) },
  'closes in the body': {
    ...http,
    act: afterRequest(sending('HTTP/1.1 500 X\r\nContent-Length: 9\r\n\r\nx', (socket) => socket.end())),
  },
  'resets in the body': {
    ...http,
    act: afterRequest(sending('HTTP/1.1 500 X\r\nContent-Length: 9\r\n\r\nx', reset)),
  },
  'switches protocols': {
    ...http,
    act: afterRequest(sending('HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nhello')),
  },
  'answers garbage': { ...http, act: afterRequest(sending('220 smtp ready\r\n')) },
  'sends chunks without a size': {
    ...http,
    act: afterRequest(sending('HTTP/1.1 500 X\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n')),
  },
  'answers twice': {
    ...http,
    act: afterRequest(sending('HTTP/1.1 500 X\r\nContent-Length: 2\r\n\r\nno'.repeat(2))),
  },
  'sends early hints endlessly': { ...http, act: afterRequest(hintEndlessly), isSlow: true },
  'resets before the handshake': { ...https, act: reset },
  'resets in the handshake': { ...https, act: afterRequest(reset) },
  'closes in the handshake': { ...https, act: afterRequest((socket) => socket.end()) },
  'speaks no TLS': { ...https, act: sending('HTTP/1.1 400 Bad Request\r\n\r\n') },
  'answers with a TLS alert': { ...https, act: afterRequest(sending(Buffer.from([21, 3, 3, 0, 2, 2, 40]))) },
  'never ends the handshake': { ...https, act: (socket) => socket.resume(), isSlow: true },
  'has an untrusted certificate': { ...https, act: securing('untrusted') },
  'has the certificate of another name': { ...https, act: securing('trusted') },
  'resets after the handshake': { address: 'https://localhost', act: securing('trusted', reset) },
};

/**
 * Starts one peer of each kind, and an address that refuses connections. A peer keeps its first `crowd` connections
 * waiting until all of them are open, so that further calls queue for a connection. From then on it acts on each one
 * immediately.
 */
export async function startHostilePeers(crowd: number): Promise<HostilePeer[]> {
  const peers = await Promise.all(
    Object.entries(BEHAVIOURS).map(([name, behaviour]) => startPeer(name, behaviour, crowd)),
  );
  return [...peers, await refusingPeer()];
}

async function startPeer(
  name: string,
  { address, act, isSlow = false }: Behaviour,
  crowd: number,
): Promise<HostilePeer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const handle = gathering(crowd, act);
  const server = net.createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    handle(socket);
  });
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1_024 });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    name,
    url: `${address}:${port}/`,
    connections: () => connections,
    isSlow,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
}

/** Returns an address where nobody listens. */
async function refusingPeer(): Promise<HostilePeer> {
  await using peer = await startPeer('refuses', { ...http, act: reset }, 1);
  return {
    name: peer.name,
    url: peer.url,
    connections: () => undefined,
    isSlow: false,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function gathering(crowd: number, act: Act): Act {
  const waiting: Socket[] = [];
  return (socket) => {
    if (waiting.length >= crowd) return act(socket);
    waiting.push(socket);
    if (waiting.length === crowd) for (const each of waiting) act(each);
  };
}

function reset(socket: Socket): void {
  socket.resetAndDestroy();
}

/** Acts once the caller has sent something. */
function afterRequest(act: Act): Act {
  return (socket) => socket.once('data', () => act(socket));
}

function sending(text: string | Buffer, then: Act = () => undefined): Act {
  return (socket) => socket.resume().write(text, () => then(socket));
}

function securing(name: CertificateName, then: Act = () => undefined): Act {
  const secureContext = tls.createSecureContext(readCredentials(name));
  return (socket) => {
    const secured = new tls.TLSSocket(socket, { isServer: true, secureContext });
    secured.on('error', () => undefined).once('secure', () => then(socket));
  };
}

function hintEndlessly(socket: Socket): void {
  const hint = () => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(50));
  const timer = setInterval(hint, 500);
  socket.on('close', () => clearInterval(timer));
  hint();
}
