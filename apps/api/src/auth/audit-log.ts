import { Injectable } from '@nestjs/common';
import { Logger } from '@signalbox/runtime/logger';
import type { FastifyReply } from 'fastify';
import { EntityManager } from 'typeorm';
import { maskNumbers } from '@signalbox/domain/msisdn';
import { type AuditedChange, AuditTrail } from './audit-trail.ts';
import { auditedFields } from './audited-fields.ts';
import { type Caller, type CallerRequest, actorOf } from './caller.ts';

/** A longer answer does not name a single created resource. */
const MAX_READ_ANSWER = 65_536;

/** Appends the rows of writes that did not write theirs in a transaction, as sends and commands to queues. */
@Injectable()
export class AuditLog {
  constructor(
    private readonly db: EntityManager,
    private readonly logger: Logger,
  ) {}

  /** Begins the trail of a request. */
  trailOf(caller: Caller, action: string, request: CallerRequest): AuditTrail {
    const { accountId, user, keyName } = caller;
    const actorName = user?.name ?? keyName;
    return new AuditTrail(
      { accountId, actor: actorOf(caller), actorName, action, address: request.ip },
      (result) => changeOf(request, idIn(result)),
    );
  }

  /** Writes the row of a request that succeeded, unless it has one. A failure is logged: the write has happened. */
  async complete(request: CallerRequest, reply: FastifyReply, payload: unknown): Promise<void> {
    const audit = request.caller?.audit;
    if (!audit || audit.isWritten || reply.statusCode >= 400) return;
    try {
      await audit.write(this.db, changeOf(request, createdId(payload)));
    } catch (error) {
      this.logger.error({ requestId: request.id, error }, 'audit.failed');
    }
  }
}

function changeOf({ params, body }: CallerRequest, created: string | null): AuditedChange {
  const named = Object.values((params ?? {}) as Record<string, string>).join(' ');
  return { target: maskNumbers(named) || created, after: auditedFields(body) };
}

/** The id in the text of an answer. */
function createdId(payload: unknown): string | null {
  if (typeof payload !== 'string' || payload.length > MAX_READ_ANSWER || !payload.startsWith('{'))
    return null;
  return idIn(JSON.parse(payload));
}

/** The id in an answer or a result: that of `data`, or that of a send. */
function idIn(answer: unknown): string | null {
  const { id, data } = (answer ?? {}) as { id?: unknown; data?: { id?: unknown } | null };
  const found = data?.id ?? id;
  return typeof found === 'string' || typeof found === 'number' ? maskNumbers(String(found)) : null;
}
