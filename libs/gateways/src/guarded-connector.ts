import { type LookupFunction, type Socket, isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import { isForbiddenAddress, type Lookup } from './address-guard.ts';
import { ownerAtWork } from './connection.ts';
import type { Dial } from './webhook-call.ts';

/** Thrown when the host is, or resolves to, an address that no webhook may call. Nothing was dialled. */
export class EndpointForbiddenError extends Error {
  override name = 'EndpointForbiddenError';
}

/** Dials, and returns the timings of the dial, which are filled in until the callback. */
export type GuardedConnector = (target: buildConnector.Options, callback: buildConnector.Callback) => Dial;

/**
 * Builds the connector that every dial of a webhook goes through. It checks both IP literals and names, because undici
 * calls no lookup for a literal. It refuses a name when any of its addresses is forbidden, and dials only the addresses
 * that it checked, so a name that changes after the check gains nothing.
 */
export function guardedConnector(options: {
  allowPrivate: boolean;
  timeoutMs: number;
  lookup: Lookup;
}): GuardedConnector {
  const isForbidden = (address: string) => isForbiddenAddress(address, options.allowPrivate);
  const connect = buildConnector({
    timeout: options.timeoutMs,
    allowH2: false,
    rejectUnauthorized: true,
    secureContext: createSecureContext(), // else one for each dial, which costs more than the rest of it
    lookup: guardedLookup(options.lookup, isForbidden),
  });
  return (target, callback) => {
    const dial: Dial = { dnsMs: null, connectMs: null, tlsMs: null };
    if (isIP(target.hostname) !== 0 && isForbidden(target.hostname)) {
      process.nextTick(callback, new EndpointForbiddenError(target.hostname), null);
    } else {
      clock(connect(target, callback) as unknown as Socket, target.protocol === 'https:', dial); // undici's types leave out the socket
    }
    return dial;
  };
}

function clock(socket: Socket, isTls: boolean, dial: Dial): void {
  let from = performance.now();
  const lap = (): number => {
    const ms = performance.now() - from;
    from += ms;
    return ms;
  };
  socket.once('lookup', () => (dial.dnsMs = lap()));
  socket.once('connect', () => (dial.connectMs = lap()));
  if (isTls) socket.once('secureConnect', () => (dial.tlsMs = lap()));
}

function guardedLookup(resolve: Lookup, isForbidden: (address: string) => boolean): LookupFunction {
  return (hostname, { all }, callback) => {
    resolve(hostname, ownerAtWork()?.accountId).then(
      (addresses) => {
        const [first] = addresses;
        if (!first || addresses.some(({ address }) => isForbidden(address)))
          callback(new EndpointForbiddenError(hostname), '');
        else if (all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}
