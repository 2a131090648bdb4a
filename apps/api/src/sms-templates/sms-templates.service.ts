import { Injectable } from '@nestjs/common';
import { randomUUIDv7 } from 'node:crypto';
import type { SmsTemplate } from '@signalbox/database/templates/sms-template.entity';
import {
  deleteSmsTemplate,
  findSmsTemplate,
  insertSmsTemplate,
  listSmsTemplates,
  updateSmsTemplate,
} from '@signalbox/database/templates/sms-templates';
import type { FastifyReply } from 'fastify';
import { EntityManager } from 'typeorm';
import { ApiError } from '../errors/api-error.ts';
import { Creations } from '../http/creations.ts';
import { Cursors } from '../http/cursor.ts';
import type { PageQuery } from '../http/page-query.ts';
import { UUID } from '../http/uuid.ts';
import type { SmsTemplateChangeRequest, SmsTemplateRequest } from './sms-template.dto.ts';
import { type SmsTemplateView, smsTemplateView } from './sms-template.view.ts';

const LIST = 'sms templates';

/** Keeps the SMS templates of accounts. */
@Injectable()
export class SmsTemplatesService {
  constructor(
    private readonly db: EntityManager,
    private readonly creations: Creations,
    private readonly cursors: Cursors,
  ) {}

  /** @throws ApiError name_exists; those of idempotency keys */
  create(
    accountId: string,
    request: SmsTemplateRequest,
    idempotencyKey: string | undefined,
    reply: FastifyReply,
  ): Promise<SmsTemplateView> {
    const template = toTemplate(accountId, request);
    const creation = { accountId, path: '/v1/sms/templates', idempotencyKey, request, reply };
    return this.creations.once(creation, smsTemplateView(template), async (db) => {
      if (!(await insertSmsTemplate(db, template))) throw nameExists(template.name);
    });
  }

  /** @throws ApiError sms_template_not_found, also for another tenant's */
  async get(accountId: string, id: string): Promise<SmsTemplateView> {
    const template = UUID.test(id) ? await findSmsTemplate(this.db, accountId, id) : undefined;
    if (!template) throw new ApiError('sms_template_not_found');
    return smsTemplateView(template);
  }

  /** A page of the account's templates, newest first. */
  list(accountId: string, query: PageQuery): Promise<{ page: SmsTemplateView[]; nextCursor: string | null }> {
    const read = (limit: number, before?: string) => listSmsTemplates(this.db, accountId, limit, before);
    return this.cursors.page(LIST, accountId, query, read, smsTemplateView);
  }

  /** Changes a template for sends from then on; what was accepted keeps its text. @throws ApiError sms_template_not_found, name_exists */
  async change(accountId: string, id: string, change: SmsTemplateChangeRequest): Promise<SmsTemplateView> {
    const outcome = UUID.test(id) ? await updateSmsTemplate(this.db, accountId, id, change) : 'absent';
    if (outcome === 'name_exists') throw nameExists(change.name ?? '');
    return this.get(accountId, id);
  }

  /** Takes a template away; what was accepted with it keeps its text. @throws ApiError sms_template_not_found */
  async delete(accountId: string, id: string): Promise<void> {
    if (!UUID.test(id) || !(await deleteSmsTemplate(this.db, accountId, id)))
      throw new ApiError('sms_template_not_found');
  }
}

function toTemplate(accountId: string, request: SmsTemplateRequest): SmsTemplate {
  const { name, text, sender = null, type = null, dltEntityId = null, dltTemplateId = null } = request;
  const now = new Date();
  return {
    id: randomUUIDv7(),
    accountId,
    name,
    text,
    sender,
    type,
    dltEntityId,
    dltTemplateId,
    createdAt: now,
    updatedAt: now,
  };
}

function nameExists(name: string): ApiError {
  return new ApiError('name_exists', `The account has an SMS template named "${name}" already.`);
}
