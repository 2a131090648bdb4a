import { type LookupFunction, type Socket, isIP } from 'node:net';
import { buildConnector } from 'undici';
import { isForbiddenAddress, type Lookup } from './address-guard.ts';
import { ownerAtWork } from './connection.ts';
import type { Dial } from './webhook-call.ts';

/** The host is, or resolves to, an address that no webhook may be sent to. Nothing was dialled. */
export class EndpointForbiddenError extends Error {
  override name = 'EndpointForbiddenError';
}

/** Dials, and returns the timings of the dial, which are filled in until the callback. */
export type GuardedConnector = (target: buildConnector.Options, callback: buildConnector.Callback) => Dial;

/**
 * The connector that every dial of a webhook goes through. It checks addresses in both forms, because undici asks no lookup for an IP
 * literal. A name is refused when any of its addresses is forbidden, and the addresses that were checked are the ones dialled, so a
 * name that changes between the check and the dial gains nothing.
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
