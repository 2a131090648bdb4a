import { SESSION_DAYS } from '@signalbox/domain/session';
import type { FastifyReply, FastifyRequest } from 'fastify';

const PLAIN = 'signalbox';

/** Only the host itself can set it, and only over TLS: no other host of its domain can plant a session. */
const SECURE = `__Host-${PLAIN}`;

const SHAPES: Readonly<Record<string, RegExp>> = { [PLAIN]: shapeOf(PLAIN), [SECURE]: shapeOf(SECURE) };

/** The token of the request's session; undefined without a cookie of its form. */
export function readSessionCookie({ headers, protocol }: FastifyRequest): string | undefined {
  const { cookie } = headers;
  return cookie === undefined ? undefined : SHAPES[nameFor(protocol)]!.exec(cookie)?.[1];
}

/** Lets the browser keep the token of a session, or forget it. */
export function setSessionCookie(reply: FastifyReply, token: string | null): void {
  const { protocol } = reply.request;
  const lifetime = token === null ? 0 : SESSION_DAYS * 86_400;
  const secure = protocol === 'https' ? '; Secure' : '';
  reply.header(
    'set-cookie',
    `${nameFor(protocol)}=${token ?? ''}; Path=/; Max-Age=${lifetime}; HttpOnly; SameSite=Lax${secure}`,
  );
}

function nameFor(protocol: string): string {
  return protocol === 'https' ? SECURE : PLAIN;
}

function shapeOf(name: string): RegExp {
  return new RegExp(`(?:^|;) *${name}=([A-Za-z0-9_-]{43}) *(?:;|$)`);
}
