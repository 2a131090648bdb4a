import type { FastifyRequest } from 'fastify';

/**
 * True when a browser says that a page of this service makes the request: by `Sec-Fetch-Site`, or by `Origin` where a
 * browser sends none. No page of another site can set either.
 */
export function isSameOrigin({ headers, protocol, host }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  return headers.origin?.toLowerCase() === `${protocol}://${host}`.toLowerCase();
}
