import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isForbiddenAddress, type Lookup } from './address-guard.ts';

/** The host is, or resolves to, an address that no webhook may be sent to. Nothing was dialled. */
export class EndpointForbiddenError extends Error {
  override name = 'EndpointForbiddenError';
}

/**
 * The connector that every dial of a webhook goes through. It checks addresses in both forms, because undici asks no lookup for an IP
 * literal. A name is refused when any of its addresses is forbidden, and the addresses that were checked are the ones dialled, so a
 * name that changes between the check and the dial gains nothing.
 */
export function guardedConnector(options: { allowPrivate: boolean; timeoutMs: number; lookup: Lookup }): buildConnector.connector {
  const isForbidden = (address: string) => isForbiddenAddress(address, options.allowPrivate);
  const connect = buildConnector({
    timeout: options.timeoutMs,
    allowH2: false,
    rejectUnauthorized: true,
    lookup: guardedLookup(options.lookup, isForbidden),
  });
  return (target, callback) => {
    if (isIP(target.hostname) === 0 || !isForbidden(target.hostname)) connect(target, callback);
    else process.nextTick(callback, new EndpointForbiddenError(target.hostname), null);
  };
}

function guardedLookup(resolve: Lookup, isForbidden: (address: string) => boolean): LookupFunction {
  return (hostname, { all }, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (!first || addresses.some(({ address }) => isForbidden(address))) callback(new EndpointForbiddenError(hostname), '');
        else if (all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}
