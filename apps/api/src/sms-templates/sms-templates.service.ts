import { randomUUIDv7 } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { SmsTemplate } from '@signalbox/database/templates/sms-template.entity';
import {
  deleteSmsTemplate,
  findSmsTemplate,
  insertSmsTemplate,
  listSmsTemplates,
  updateSmsTemplate,
} from '@signalbox/database/templates/sms-templates';
import { checkLinkType } from '@signalbox/domain/sms/template';
import { EntityManager } from 'typeorm';
import type { Caller } from '../auth/caller.ts';
import { withAuditAsLiveCaller } from '../auth/live-caller.ts';
import { ApiError, invalidRequest } from '../errors/api-error.ts';
import { requireRoom } from '../http/account-limits.ts';
import { changesNothing } from '../http/changes-nothing.ts';
import type { Page } from '../http/answer.ts';
import { Creations, type LiveCall } from '../http/creations.ts';
import { Cursors } from '../http/cursor.ts';
import { findOwn } from '../http/find-own.ts';
import type { PageQuery } from '../http/page-query.ts';
import { UUID } from '../http/uuid.ts';
import type { SmsTemplateChangeRequest, SmsTemplateRequest } from './sms-template.dto.ts';
import { type SmsTemplateView, smsTemplateView } from './sms-template.view.ts';

/** Manages the SMS templates of an account. */
@Injectable()
export class SmsTemplatesService {
  constructor(
    private readonly db: EntityManager,
    private readonly creations: Creations,
    private readonly cursors: Cursors,
  ) {}

  /** @throws ApiError name_exists, limit_reached; those of `onceLive` */
  create(call: LiveCall<SmsTemplateRequest>): Promise<SmsTemplateView> {
    const template = toTemplate(call.accountId, call.request);
    return this.creations.onceLive(call, smsTemplateView(template), async (db) => {
      await requireRoom(db, call.accountId, 'smsTemplates');
      if (!(await insertSmsTemplate(db, template))) throw nameExists(template.name);
    });
  }

  /** @throws ApiError sms_template_not_found, also for a template of another account */
  async get(accountId: string, id: string): Promise<SmsTemplateView> {
    const find = () => findSmsTemplate(this.db, accountId, id);
    return smsTemplateView(await findOwn(id, find, 'sms_template_not_found'));
  }

  /** Lists the account's templates, newest first. */
  list(accountId: string, query: PageQuery): Promise<Page<SmsTemplateView>> {
    const read = (limit: number, before?: string) => listSmsTemplates(this.db, accountId, limit, before);
    return this.cursors.page('sms templates', accountId, query, read, smsTemplateView);
  }

  /**
   * Changes a template for later sends; accepted messages keep their text.
   *
   * @throws ApiError sms_template_not_found, name_exists; invalid_request for short links of a type that has none; those
   * of `requireLiveCaller`
   */
  async change(caller: Caller, id: string, change: SmsTemplateChangeRequest): Promise<SmsTemplateView> {
    const { accountId } = caller;
    if (changesNothing(change)) return this.get(accountId, id);
    await withAuditAsLiveCaller(this.db, caller, async (db) => {
      const outcome = UUID.test(id) ? await updateSmsTemplate(db, accountId, id, change) : 'absent';
      if (outcome === 'absent') throw new ApiError('sms_template_not_found');
      if (outcome === 'name_exists') throw nameExists(change.name ?? '');
      const changed = await findSmsTemplate(db, accountId, id);
      const violations = changed ? checkLinkType(changed.text, changed.type) : [];
      if (violations.length > 0) throw invalidRequest(violations);
    });
    return this.get(accountId, id);
  }

  /**
   * Deletes a template; accepted messages keep their text.
   *
   * @throws ApiError sms_template_not_found; those of `requireLiveCaller`
   */
  delete(caller: Caller, id: string): Promise<{ id: string }> {
    return withAuditAsLiveCaller(this.db, caller, async (db) => {
      await findOwn(id, () => deleteSmsTemplate(db, caller.accountId, id), 'sms_template_not_found');
      return { id };
    });
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
