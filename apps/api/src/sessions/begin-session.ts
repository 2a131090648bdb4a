import { randomUUIDv7 } from 'node:crypto';
import { deleteSessionOf, insertSession } from '@signalbox/database/users/sessions';
import type { UserSecrets } from '@signalbox/database/users/users';
import { hashToken, newToken } from '@signalbox/domain/session';
import type { FastifyReply } from 'fastify';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../auth/audit-trail.ts';
import { readSessionCookie, setSessionCookie } from '../auth/session-cookie.ts';
import type { SignedInView } from './session.view.ts';

const MAX_USER_AGENT = 300;

/**
 * Stores a session in place of that of the browser, and hands its token to the browser. Call it with the user locked
 * until the transaction ends.
 */
export async function beginSession(
  db: EntityManager,
  user: UserSecrets,
  accountId: string,
  reply: FastifyReply,
  action: string,
): Promise<SignedInView> {
  const { ip: address, headers } = reply.request;
  const former = readSessionCookie(reply.request);
  if (former !== undefined) await deleteSessionOf(db, hashToken(former));
  const [id, token] = [randomUUIDv7(), newToken()];
  const userAgent = (headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT);
  await insertSession(db, { id, hash: hashToken(token), userId: user.id, accountId, address, userAgent });
  await trailOfUser(user, accountId, action, address).write(db, { target: id });
  setSessionCookie(reply, token);
  return { userId: user.id, accountId };
}

/** Begins the audit trail of a user who acts without a session. */
export function trailOfUser(
  { id, name }: Pick<UserSecrets, 'id' | 'name'>,
  accountId: string,
  action: string,
  address: string,
): AuditTrail {
  return new AuditTrail({ accountId, actor: `user:${id}`, actorName: name, action, address });
}
