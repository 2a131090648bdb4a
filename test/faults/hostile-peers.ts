import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import tls from 'node:tls';
import { type CertificateName, readCredentials } from '../support/certificates.ts';

/** An end point that breaks the rules of TCP, TLS or HTTP. */
export interface HostilePeer extends AsyncDisposable {
  name: string;
  url: string;
  /** Connections that came; undefined where nobody listens. */
  connections: () => number | undefined;
  /** Whether each call to it takes until a deadline. */
  isSlow: boolean;
}

type Act = (socket: Socket) => void;

interface Behaviour {
  /** Where the address begins; the certificate is for `localhost`. */
  address: 'http://127.0.0.1' | 'https://127.0.0.1' | 'https://localhost';
  act: Act;
  isSlow?: boolean;
}

const http = { address: 'http://127.0.0.1' } as const;
const https = { address: 'https://127.0.0.1' } as const;

const BEHAVIOURS: Record<string, Behaviour> = {
  'resets each connection': { ...http, act: reset },
  'answers before it is asked': {
    ...http,
    act: saying('HTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n', (socket) => socket.end()),
  },
  'resets after the request': { ...http, act: asked(reset) },
  'closes after the request': { ...http, act: asked((socket) => socket.end()) },
  'resets in the headers': { ...http, act: asked(saying('HTTP/1.1 500 X\r\nContent-Le', reset)) },
  'closes in the body': {
    ...http,
    act: asked(saying('HTTP/1.1 500 X\r\nContent-Length: 9\r\n\r\nx', (socket) => socket.end())),
  },
  'resets in the body': {
    ...http,
    act: asked(saying('HTTP/1.1 500 X\r\nContent-Length: 9\r\n\r\nx', reset)),
  },
  'switches protocols': {
    ...http,
    act: asked(saying('HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nhello')),
  },
  'answers garbage': { ...http, act: asked(saying('220 smtp ready\r\n')) },
  'sends chunks of no size': {
    ...http,
    act: asked(saying('HTTP/1.1 500 X\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n')),
  },
  'answers twice': { ...http, act: asked(saying('HTTP/1.1 500 X\r\nContent-Length: 2\r\n\r\nno'.repeat(2))) },
  'sends early hints for ever': { ...http, act: asked(hintForEver), isSlow: true },
  'resets before the handshake': { ...https, act: reset },
  'resets in the handshake': { ...https, act: asked(reset) },
  'closes in the handshake': { ...https, act: asked((socket) => socket.end()) },
  'speaks no TLS': { ...https, act: saying('HTTP/1.1 400 Bad Request\r\n\r\n') },
  'answers with a TLS alert': { ...https, act: asked(saying(Buffer.from([21, 3, 3, 0, 2, 2, 40]))) },
  'never ends the handshake': { ...https, act: (socket) => socket.resume(), isSlow: true },
  'has an untrusted certificate': { ...https, act: securing('untrusted') },
  'has the certificate of another name': { ...https, act: securing('trusted') },
  'resets after the handshake': { address: 'https://localhost', act: securing('trusted', reset) },
};

/**
 * One peer of each kind, and an address that refuses. The first connections of each, `crowd` of them, are kept waiting until all of them
 * are there, so that more calls wait for a connection by then; from there on each connection is treated immediately.
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
  const treat = gathering(crowd, act);
  const server = net.createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    treat(socket);
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

/** An address where nobody listens any more. */
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
  const held: Socket[] = [];
  return (socket) => {
    if (held.length >= crowd) return act(socket);
    held.push(socket);
    if (held.length === crowd) for (const each of held) act(each);
  };
}

function reset(socket: Socket): void {
  socket.resetAndDestroy();
}

/** Acts when the other side has spoken. */
function asked(act: Act): Act {
  return (socket) => socket.once('data', () => act(socket));
}

function saying(text: string | Buffer, then: Act = () => undefined): Act {
  return (socket) => socket.resume().write(text, () => then(socket));
}

function securing(name: CertificateName, then: Act = () => undefined): Act {
  const secureContext = tls.createSecureContext(readCredentials(name));
  return (socket) => {
    const secured = new tls.TLSSocket(socket, { isServer: true, secureContext });
    secured.on('error', () => undefined).once('secure', () => then(socket));
  };
}

function hintForEver(socket: Socket): void {
  const hint = () => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(50));
  const timer = setInterval(hint, 500);
  socket.on('close', () => clearInterval(timer));
  hint();
}
