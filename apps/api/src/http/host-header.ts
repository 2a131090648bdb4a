import type { IncomingMessage } from 'node:http';
import { countHeaders } from './count-headers.ts';

/** A name or an IPv4 address, or an IPv6 address in brackets; a port may follow. */
const HOST = /^(?:[\w.~%!$&'()*+,;=-]+|\[[\da-fA-F:.]+\])(?::(\d{1,5}))?$/;
const MAX_PORT = 65_535;

/** True if a request has exactly one well-formed Host header, as RFC 9112 demands; HTTP/1.0 may omit it. */
export function hasValidHost(request: IncomingMessage): boolean {
  const { host } = request.headers;
  if (host === undefined) return request.httpVersion === '1.0';
  return countHeaders(request, 'host') === 1 && isHost(host);
}

function isHost(host: string): boolean {
  const match = HOST.exec(host);
  return match !== null && Number(match[1] ?? 0) <= MAX_PORT;
}
