import { isIP } from 'node:net';
import { hostOf } from '@signalbox/domain/links/public-host';
import { isForbiddenAddress, isForbiddenHost } from './address-guard.ts';
import type { GatewayProblem } from './gateway-kind.ts';

/** Refuses an address that no call would reach. A name is resolved at each call, which checks its address again. */
export function listAddressProblems(
  address: string,
  { field, allowPrivateNetwork }: { field: string; allowPrivateNetwork: boolean },
): GatewayProblem[] {
  const url = new URL(address);
  if (!allowPrivateNetwork)
    return isForbiddenHost(url, false)
      ? [
          {
            field,
            problem: 'is a private address: if that is meant, set settings.allowPrivateNetwork to true',
          },
        ]
      : [];
  const host = hostOf(url);
  return isIP(host) !== 0 && isForbiddenAddress(host, true)
    ? [
        {
          field,
          problem: 'is an address that no gateway may call, such as one where a cloud serves its credentials',
        },
      ]
    : [];
}
