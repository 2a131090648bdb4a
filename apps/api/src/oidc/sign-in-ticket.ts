import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { signInRow } from '@signalbox/domain/sealed-rows';
import { Sealer } from '@signalbox/runtime/seal';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Seconds within which a sign-in at the identity provider is completed. */
const LIFETIME_SECONDS = 600;

const NAME = 'signalbox-sign-in';
const COOKIE: Readonly<Record<string, RegExp>> = {
  [NAME]: shapeOf(NAME),
  [`__Host-${NAME}`]: shapeOf(`__Host-${NAME}`),
};

/** Proofs that an answer of the identity provider belongs to a request of this browser. */
export interface SignInProofs {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** A sign-in that a browser has begun. */
export interface SignInTicket extends SignInProofs {
  /** Path of the dashboard to open afterwards. */
  next: string;
  /** False when a page of another site led here: it must not link the user who is signed in. */
  isOwn: boolean;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** Keeps a begun sign-in in a sealed cookie of the browser, so that no other browser can complete it. */
@Injectable()
export class SignInTickets {
  constructor(private readonly sealer: Sealer) {}

  set(reply: FastifyReply, proofs: SignInProofs, next: string): void {
    const expiresAt = Date.now() + LIFETIME_SECONDS * 1_000;
    const ticket: SignInTicket = { ...proofs, next, isOwn: isOwn(reply.request), expiresAt };
    setCookie(
      reply,
      this.sealer.seal(JSON.stringify(ticket), signInRow()).toString('base64url'),
      LIFETIME_SECONDS,
    );
  }

  /** Reads the ticket from its cookie and deletes the cookie. Undefined when there is no ticket, or it has expired. */
  take(request: FastifyRequest, reply: FastifyReply): SignInTicket | undefined {
    const sealed = COOKIE[nameFor(request)]!.exec(request.headers.cookie ?? '')?.[1];
    if (sealed === undefined) return undefined;
    setCookie(reply, '', 0);
    const text = this.sealer.tryOpen(Buffer.from(sealed, 'base64url'), signInRow());
    const ticket = text === undefined ? undefined : (JSON.parse(text) as SignInTicket);
    return ticket && ticket.expiresAt > Date.now() ? ticket : undefined;
  }
}

/** Names a ticket in the database, where it is marked as used. */
export function hashOf({ state }: SignInProofs): Buffer {
  return hash('sha256', state, 'buffer');
}

/** Browsers omit the header without TLS. */
function isOwn({ headers: { 'sec-fetch-site': site } }: FastifyRequest): boolean {
  return site === undefined || site === 'same-origin';
}

function setCookie(reply: FastifyReply, value: string, seconds: number): void {
  const { request } = reply;
  const secure = request.protocol === 'https' ? '; Secure' : '';
  reply.header(
    'set-cookie',
    `${nameFor(request)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`,
  );
}

function nameFor({ protocol }: FastifyRequest): string {
  return protocol === 'https' ? `__Host-${NAME}` : NAME;
}

function shapeOf(name: string): RegExp {
  return new RegExp(`(?:^|;) *${name}=([A-Za-z0-9_-]{100,4000}) *(?:;|$)`);
}
