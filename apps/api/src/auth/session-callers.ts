import { Injectable } from '@nestjs/common';
import { type LiveSession, findSession, touchSession } from '@signalbox/database/users/sessions';
import { SCOPES_OF } from '@signalbox/domain/role';
import { hashToken } from '@signalbox/domain/session';
import { Logger } from '@signalbox/runtime/logger';
import { EntityManager } from 'typeorm';
import type { Caller } from './caller.ts';

/**
 * Finds the user of a session. Nothing is cached: an ended session, a new role and a disabled user count immediately.
 */
@Injectable()
export class SessionCallers {
  constructor(
    private readonly db: EntityManager,
    private readonly logger: Logger,
  ) {}

  /** The caller of a live session; undefined for any other. */
  async find(token: string): Promise<Caller | undefined> {
    const hash = hashToken(token);
    const session = await findSession(this.db, hash);
    if (session?.isUseDue) this.noteUse(session.sessionId);
    return session && callerOfSession(session, hash);
  }

  /** Returns true while a session lives, with this account and role. Does not count as a use of the session. */
  async isLive(token: string, caller: Caller): Promise<boolean> {
    return isSessionOf(caller, await findSession(this.db, hashToken(token)));
  }

  private noteUse(sessionId: string): void {
    touchSession(this.db, sessionId).catch((error: unknown) =>
      this.logger.warn({ error }, 'session.use_not_noted'),
    );
  }
}

/** Returns true for a session with the account, which is active, and the role of a caller. */
export function isSessionOf({ accountId, user }: Caller, session: LiveSession | undefined): boolean {
  return (
    session?.accountId === accountId && session.role === user?.role && session.accountStatus === 'active'
  );
}

function callerOfSession(session: LiveSession, hash: Buffer): Caller {
  const { userId, userName, email, role, sessionId, accountId, accountStatus, isPaced } = session;
  return {
    hash,
    keyId: userId,
    keyName: userName,
    accountId,
    accountStatus,
    scopes: [...SCOPES_OF[role]],
    rateLimitPerMinute: null,
    isTest: true,
    isPaced,
    user: { id: userId, name: userName, email, role, sessionId },
  };
}
