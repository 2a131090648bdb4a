import { Injectable } from '@nestjs/common';
import { useSignIn } from '@signalbox/database/users/identities';
import { findSession, upsertSignInLink } from '@signalbox/database/users/sessions';
import { hashToken, newToken } from '@signalbox/domain/session';
import { LINK_MINUTES } from '@signalbox/domain/sign-in-link';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EntityManager } from 'typeorm';
import { ApiError } from '../errors/api-error.ts';
import { readSessionCookie } from '../auth/session-cookie.ts';
import { Attempts } from '../sessions/attempts.ts';
import { beginSession } from '../sessions/begin-session.ts';
import { IdentityProvider } from './identity-provider.ts';
import { ProvidedUsers } from './provided-users.ts';
import { SignInProblem } from './sign-in-problem.ts';
import { SignInTickets, hashOf } from './sign-in-ticket.ts';

/** Path of the answers of the identity provider. */
export const CALLBACK_PATH = '/oidc/callback';

/** Signs users in through the identity provider. */
@Injectable()
export class ProviderSignIn {
  constructor(
    private readonly db: EntityManager,
    private readonly provider: IdentityProvider,
    private readonly users: ProvidedUsers,
    private readonly tickets: SignInTickets,
    private readonly attempts: Attempts,
  ) {}

  /** Begins a sign-in. @returns the address at the identity provider @throws SignInProblem */
  async begin(request: FastifyRequest, reply: FastifyReply, next: string): Promise<string> {
    const { url, proofs } = await this.provider.begin(`${originOf(request)}${CALLBACK_PATH}`);
    this.tickets.set(reply, proofs, next);
    return url.href;
  }

  /** Completes the sign-in of this browser, once. @returns the path of the page to open @throws SignInProblem */
  async complete(request: FastifyRequest, reply: FastifyReply): Promise<string> {
    const ticket = this.tickets.take(request, reply);
    const undo = await this.countAttempt(request.ip);
    const { state } = request.query as { state?: unknown };
    if (!ticket || state !== ticket.state) throw new SignInProblem('expired');
    const isFirst = await useSignIn(this.db, hashOf(ticket), new Date(ticket.expiresAt));
    if (!isFirst) throw new SignInProblem('expired');
    const provided = await this.provider.complete(new URL(request.url, originOf(request)), ticket);
    const token = ticket.isOwn ? readSessionCookie(request) : undefined;
    const hash = await this.db.transaction(async (db) => {
      const session = token === undefined ? undefined : await findSession(db, hashToken(token));
      const by = { address: request.ip, userId: session?.userId };
      const { user, accountId } = await this.users.admit(db, provided, by);
      if (user.sealedTotp !== null) return offerLink(db, user.id);
      await beginSession(db, user, accountId, reply, 'signInWithProvider');
      return '';
    });
    await undo();
    return `/app${ticket.next}${hash}`;
  }

  private async countAttempt(address: string): Promise<() => Promise<void>> {
    try {
      return await this.attempts.countLink(address);
    } catch (cause) {
      if (cause instanceof ApiError) throw new SignInProblem('too_many', { cause });
      throw cause;
    }
  }
}

/**
 * Leads a user with a second factor to the page that asks for the code.
 *
 * @returns the fragment with the token of a link
 */
async function offerLink(db: EntityManager, userId: string): Promise<string> {
  const token = newToken();
  await upsertSignInLink(db, userId, hashToken(token), LINK_MINUTES);
  return `#token=${token}`;
}

function originOf({ protocol, host }: FastifyRequest): string {
  return `${protocol}://${host}`;
}
