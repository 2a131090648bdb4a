import net, { type Socket } from 'node:net';
import tls from 'node:tls';
import type { Clock } from './clock.ts';

/** Time for the connection and, with TLS, its handshake. */
const CONNECT_MS = 10_000;

/** The address of a server, and how to trust it. */
export interface Peer {
  host: string;
  port: number;
  tls?: TlsOptions | null | undefined;
}

export interface TlsOptions {
  /** Certificates to trust instead of the system's, in PEM. */
  ca?: string | undefined;
  /** The name on the certificate; the host by default. */
  servername?: string | undefined;
  rejectUnauthorized?: boolean | undefined;
}

/** Thrown when no connection could be made; the message says why, and what to check. */
export class DialError extends Error {
  override name = 'DialError';
}

/**
 * Connects, verifies the certificate with TLS, and turns Nagle's delay off.
 *
 * @param signal gives the attempt up
 * @throws DialError
 */
export async function dial(peer: Peer, clock: Clock, signal: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = peer.tls ? connectTls(peer, peer.tls) : net.connect(peer.port, peer.host);
  const fail = (error: Error): void => {
    socket.destroy();
    reject(error);
  };
  const giveUp = (): void => fail(new DialError('the attempt was given up'));
  const cancel = clock.after(CONNECT_MS, () => fail(new DialError(describeSilence(socket, peer))));
  const onError = (error: NodeJS.ErrnoException): void =>
    fail(new DialError(describe(error, peer), { cause: error }));
  const onClose = (): void => fail(new DialError(`${addressOf(peer)} closed the connection`));
  socket.once(peer.tls ? 'secureConnect' : 'connect', () => resolve(socket.setNoDelay(true)));
  socket.on('error', onError);
  socket.on('close', onClose);
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  return promise.finally(() => {
    cancel();
    signal.removeEventListener('abort', giveUp);
    socket.off('close', onClose);
    // an error between now and the session's own listeners must find one
    socket.off('error', onError).on('error', () => undefined);
  });
}

function connectTls({ host, port }: Peer, { ca, servername, rejectUnauthorized = true }: TlsOptions): Socket {
  const name = servername ?? (net.isIP(host) === 0 ? host : undefined);
  try {
    return tls.connect({
      host,
      port,
      rejectUnauthorized,
      ...(ca && { ca }),
      ...(name && { servername: name }),
    });
  } catch (error) {
    throw new DialError('the certificate in "tls.ca" cannot be read', { cause: error });
  }
}

/** Returns `host:port`. */
export function addressOf({ host, port }: Peer): string {
  return net.isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

function describe(error: NodeJS.ErrnoException, peer: Peer): string {
  const { code = '' } = error;
  const address = addressOf(peer);
  if (['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL'].includes(code))
    return `the name "${peer.host}" was not found (${code}): check "host" and the name server`;
  if (code === 'ECONNREFUSED') return `nothing listens at ${address}: check host and port`;
  if (['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'].includes(code))
    return `${address} cannot be reached (${code}): check the network and the firewalls`;
  if (code === 'ECONNRESET')
    return `${address} reset the connection: check the port${peer.tls ? ', "tls"' : ''}, and that the server admits our address`;
  return describeTls(error, address) ?? `${address}: ${error.message}`;
}

/** Without TLS, a server that does not answer has not accepted the connection. */
function describeSilence({ connecting }: Socket, peer: Peer): string {
  const address = addressOf(peer);
  return connecting
    ? `${address} does not answer: check the address, and that the server admits ours`
    : `${address} does not answer the TLS handshake: check the port, or leave "tls" out`;
}

function describeTls({ code = '' }: NodeJS.ErrnoException, address: string): string | undefined {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `the certificate of ${address} names another host: set "tls.servername" to its name`;
  if (code === 'CERT_HAS_EXPIRED') return `the certificate of ${address} has expired`;
  if (UNTRUSTED.has(code))
    return `the certificate of ${address} is not trusted (${code}): set "tls.ca" to that of its issuer`;
  if (code === 'EPROTO' || code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS'))
    return `${address} does not speak TLS as expected (${code}): check the port, or leave "tls" out`;
  return undefined;
}

const UNTRUSTED: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_UNTRUSTED',
]);
