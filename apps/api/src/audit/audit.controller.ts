import { Controller, Get, Query } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { type AuditFilter, type ListedAuditEvent, listAuditEvents } from '@signalbox/database/users/audit';
import { firstIdAt } from '@signalbox/domain/id-time';
import { type Static, Type } from 'typebox';
import { EntityManager } from 'typeorm';
import { CurrentAccount } from '../auth/caller.ts';
import { SEARCHES } from '../core.module.ts';
import { Endpoint, Endpoints, findSummary } from '../docs/endpoint.ts';
import { ID, TEXT, TIME, model, nullable } from '../docs/model.ts';
import { pageOf } from '../http/answer.ts';
import { Cursors } from '../http/cursor.ts';
import { AuditQuery } from './audit.dto.ts';

const LIST = 'audit';

const FIELDS = Type.Object({}, { additionalProperties: true });

const AuditEventView = model('AuditEvent', 'A write by a user, or by a key that manages.', {
  id: ID,
  at: TIME,
  actor: Type.String({ description: '`user:<id>`, `api-key:<id>` or `cli`.' }),
  actorName: Type.String({ description: 'Name of the actor at that time.' }),
  action: Type.String({ description: 'Operation id.' }),
  summary: nullable(TEXT, 'Summary of the operation; null for one that this version does not have.'),
  target: nullable(TEXT, 'Id of what was changed.'),
  before: nullable(FIELDS, 'Members that were changed, as far as known.'),
  after: nullable(FIELDS, 'Members after the change. Secrets, numbers and texts are shown as `…`.'),
  address: TEXT,
});
type AuditEventView = Static<typeof AuditEventView>;

const EXAMPLE: AuditEventView[] = [
  {
    id: '0192f0c4-8c9a-7d3e-9b1c-2f6a5d7e8c95',
    at: '2026-11-20T10:12:31.208Z',
    actor: 'user:0192f0c4-8c9a-7d3e-9b1c-2f6a5d7e8c92',
    actorName: 'Ana',
    action: 'changeUser',
    summary: 'Change a user',
    target: '0192f0c4-8c9a-7d3e-9b1c-2f6a5d7e8c93',
    before: { role: 'editor', status: 'active' },
    after: { role: 'viewer', status: 'active' },
    address: '192.0.2.7',
  },
];

@Endpoints('Users', { scope: 'manage' })
@Controller('v1/audit')
export class AuditController {
  constructor(
    @InjectEntityManager(SEARCHES) private readonly db: EntityManager,
    private readonly cursors: Cursors,
  ) {}

  @Get()
  @Endpoint({
    searches: true,
    summary: 'List the audit log',
    description:
      'Newest first: every write by a user, and by a key with the scope `manage` or `ops` except its sends. Kept for a year.',
    answer: pageOf(AuditEventView, EXAMPLE, 'event'),
  })
  async listAuditEvents(@CurrentAccount() accountId: string, @Query() query: AuditQuery) {
    const { limit, cursor } = query;
    const before = cursor === undefined ? undefined : this.cursors.decode(LIST, accountId, cursor);
    const { events, next } = await listAuditEvents(this.db, accountId, filterOf(query, before), limit);
    return {
      page: events.map((event) => auditEventView(event)),
      nextCursor: next && this.cursors.encode(LIST, accountId, next),
    };
  }
}

function filterOf(query: AuditQuery, before: string | undefined): AuditFilter {
  const { actor = null, action = null, target = null, times } = query;
  const { from, to } = times;
  const end = to && firstIdAt(to.getTime());
  const beforeId = before !== undefined && end !== undefined && end < before ? end : (before ?? end ?? null);
  return { actor, action, target, fromId: from ? firstIdAt(from.getTime()) : null, beforeId };
}

function auditEventView({ createdAt, ...event }: ListedAuditEvent): AuditEventView {
  const summary = findSummary(event.action) ?? null;
  return { ...event, summary, at: createdAt.toISOString() } as AuditEventView;
}
