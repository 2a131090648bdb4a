import { randomUUIDv7 } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import { findChatAccount, lockChatAccount } from '@signalbox/database/chat/accounts';
import { decideTemplates, listTemplateEvents } from '@signalbox/database/templates/reviews';
import {
  type NewTemplate,
  type TemplateRow,
  deleteTemplate,
  editTemplate,
  findTemplate,
  insertTemplates,
  listTemplates,
  secondsToNextEdit,
} from '@signalbox/database/templates/templates';
import type { TemplateContent } from '@signalbox/domain/templates/template';
import { checkTemplate } from '@signalbox/domain/templates/rules';
import { DECISION_MOVES, templateWireStatus } from '@signalbox/domain/templates/status';
import { TEMPLATE_REVIEW_QUEUE } from '@signalbox/queues/definitions';
import { Queues } from '@signalbox/queues/open-queues';
import { EntityManager } from 'typeorm';
import { withActorNames } from '../auth/actor-names.ts';
import { type Caller, actorOf } from '../auth/caller.ts';
import { withAuditAsLiveCaller } from '../auth/live-caller.ts';
import { RateGate } from '../auth/rate-gate.ts';
import { ApiError, invalidRequest } from '../errors/api-error.ts';
import { requireRoom } from '../http/account-limits.ts';
import type { Page } from '../http/answer.ts';
import { Creations } from '../http/creations.ts';
import { Cursors } from '../http/cursor.ts';
import { findOwn } from '../http/find-own.ts';
import type { RepeatableCall } from '../http/repeatable-call.ts';
import { rolledBack } from '@signalbox/database/core/rolled-back';
import { keepMedia } from './template-media.ts';
import type {
  CreateTemplateRequest,
  EditTemplateRequest,
  ReviewTemplateRequest,
  TemplateHistoryQuery,
  TemplateListQuery,
} from './template.dto.ts';
import {
  type CreatedTemplates,
  type TemplateDryRun,
  type TemplateEventView,
  type TemplateView,
  createdTemplates,
  templateDryRun,
  templateEventView,
  templateView,
} from './template.view.ts';

/** Manages the templates of an account's chat accounts. */
@Injectable()
export class TemplatesService {
  constructor(
    private readonly db: EntityManager,
    private readonly cursors: Cursors,
    private readonly creations: Creations,
    private readonly queues: Queues,
    private readonly rate: RateGate,
  ) {}

  /**
   * Creates a template in each language that the request names, all or none, and submits them for review.
   *
   * @throws ApiError bulk_exceeds_rate_limit, rate_limited, chat_account_not_found, limit_reached, media_not_found,
   * template_exists; those of `onceLive`
   */
  async create(call: RepeatableCall, request: CreateTemplateRequest): Promise<CreatedTemplates> {
    const { caller } = call;
    const creating = { ...call, request };
    const at = new Date();
    const templates = request.languages.map((language) => newTemplate(request, language));
    const created = await this.creations.checked(creating, async () => {
      await this.passLanguages(call, request);
      return this.creations.onceLive(creating, createdTemplates(templates, at), (db) =>
        insertNew(db, caller, request, templates, at),
      );
    });
    this.requestReview(created.data.map(({ id }) => id));
    return created;
  }

  /** Makes all checks of `create`, and stores nothing. @throws ApiError those of `create` */
  async tryCreate(call: RepeatableCall, request: CreateTemplateRequest): Promise<TemplateDryRun> {
    await this.passLanguages(call, request);
    const templates = request.languages.map((language) => newTemplate(request, language));
    await rolledBack(this.db, (db) => insertNew(db, call.caller, request, templates, new Date()));
    return templateDryRun(templates[0]!);
  }

  /** @throws ApiError template_not_found, also for another tenant's */
  async get(accountId: string, id: string): Promise<TemplateView> {
    return templateView(await this.find(accountId, id));
  }

  /**
   * A page of the account's templates, newest first.
   *
   * @throws ApiError chat_account_not_found for an unknown chat account
   */
  async list(accountId: string, query: TemplateListQuery): Promise<Page<TemplateView>> {
    const { chatAccountId, status, category, language, name } = query;
    const read = async (limit: number, before?: string) => {
      if (chatAccountId !== undefined && !(await findChatAccount(this.db, accountId, chatAccountId))) {
        throw new ApiError('chat_account_not_found');
      }
      return listTemplates(
        this.db,
        accountId,
        { chatAccountId, status, category, language, name },
        limit,
        before,
      );
    };
    return this.cursors.page('templates', accountId, query, read, templateView);
  }

  /**
   * Replaces the given fields, and submits the template for review again.
   *
   * @throws ApiError template_not_found, template_not_editable, template_edit_limit, media_not_found; invalid_request
   * when the edited template breaks a rule; those of `requireLiveCaller`
   */
  async edit(caller: Caller, request: EditTemplateRequest): Promise<TemplateView> {
    const { accountId } = caller;
    const { template, content } = await this.editable(accountId, request);
    await withAuditAsLiveCaller(this.db, caller, async (db) => {
      await keepMedia(db, accountId, request.components ?? [], template.components);
      if (await editTemplate(db, accountId, template, content, actorOf(caller))) return template;
      await this.requireEditable(await this.find(accountId, request.id, db), db);
      throw new ApiError('template_not_editable');
    });
    const now = await this.find(accountId, request.id);
    this.requestReview([now.id]);
    return templateView(now);
  }

  /** Makes all checks of `edit`, and changes nothing. @throws ApiError those of `edit` */
  async tryEdit({ accountId }: KeyHolder, request: EditTemplateRequest): Promise<TemplateDryRun> {
    const { template, content } = await this.editable(accountId, request);
    await rolledBack(this.db, (db) =>
      keepMedia(db, accountId, request.components ?? [], template.components),
    );
    return templateDryRun(content);
  }

  /** Deletes a template; its name is free again. @throws ApiError template_not_found; those of `requireLiveCaller` */
  delete(caller: Caller, id: string): Promise<{ id: string }> {
    return withAuditAsLiveCaller(this.db, caller, async (db) => {
      const remove = () => deleteTemplate(db, caller.accountId, id, actorOf(caller));
      await findOwn(id, remove, 'template_not_found');
      return { id };
    });
  }

  /**
   * Applies a person's decision to a template.
   *
   * @throws ApiError template_not_found, template_not_approved, template_not_editable; those of `requireLiveCaller`
   */
  async review(caller: Caller, { id, decision, reason }: ReviewTemplateRequest): Promise<TemplateView> {
    const { accountId } = caller;
    const before = await this.find(accountId, id);
    await withAuditAsLiveCaller(this.db, caller, async (db) => {
      const moved = await decideTemplates(db, [{ id, decision, reason }], actorOf(caller), accountId);
      if (moved.length === 0) throw notReviewable(before, decision);
      return { id };
    });
    return this.get(accountId, id);
  }

  /** A page of a template's history, newest first. @throws ApiError template_not_found */
  async history(accountId: string, query: TemplateHistoryQuery): Promise<Page<TemplateEventView>> {
    const { id } = await this.find(accountId, query.id);
    const read = async (limit: number, before?: string) =>
      withActorNames(this.db, accountId, await listTemplateEvents(this.db, accountId, id, limit, before));
    return this.cursors.page(`template ${id}`, accountId, query, read, templateEventView);
  }

  /** Takes a point of the rate limit for each language. */
  private async passLanguages({ caller, reply }: RepeatableCall, { languages }: CreateTemplateRequest) {
    if (languages.length > 1) await this.rate.passBulk(caller, languages.length, reply);
  }

  /** The worker decides between automatic and manual review. */
  private requestReview(ids: string[]): void {
    this.queues.get(TEMPLATE_REVIEW_QUEUE).enqueue(ids);
  }

  /** A template that may be edited now, and its content after the edit. */
  private async editable(accountId: string, request: EditTemplateRequest) {
    const template = await this.find(accountId, request.id);
    await this.requireEditable(template);
    const content = editedContent(template, request);
    const codeExpirationMinutes = content.codeExpirationMinutes ?? undefined;
    const broken = checkTemplate({ ...content, codeExpirationMinutes });
    if (broken.length > 0) throw invalidRequest(broken);
    return { template, content };
  }

  private find(accountId: string, id: string, db = this.db): Promise<TemplateRow> {
    return findOwn(id, () => findTemplate(db, accountId, id), 'template_not_found');
  }

  /** Gives the reason for a refusal. The statement that edits makes the decision. */
  private async requireEditable(template: TemplateRow, db = this.db): Promise<void> {
    if (template.status === 'PENDING') throw new ApiError('template_not_editable');
    if (template.editsLeftToday > 0) return;
    throw new ApiError('template_edit_limit', undefined, {
      retryAfterSeconds: await secondsToNextEdit(db, template),
    });
  }
}

function notReviewable(
  { status, registration }: TemplateRow,
  decision: ReviewTemplateRequest['decision'],
): ApiError {
  if (registration)
    return new ApiError(
      'template_not_editable',
      `The provider of the gateway ${registration.gateway} reviews this template. Edit or delete it instead.`,
    );
  return new ApiError(
    decision === 'pause' ? 'template_not_approved' : 'template_not_editable',
    `The template is ${templateWireStatus(status)}; it must be ${templateWireStatus(DECISION_MOVES[decision].from)} for that.`,
  );
}

/** Inserts a template in each of its languages, all or none. */
async function insertNew(
  db: EntityManager,
  caller: KeyHolder,
  { name, chatAccountId, components }: CreateTemplateRequest,
  templates: NewTemplate[],
  at: Date,
): Promise<void> {
  const { accountId } = caller;
  const rows = templates.length;
  await requireRoom(db, accountId, 'templateNames', { rows, within: [chatAccountId, name] });
  if (!(await lockChatAccount(db, accountId, chatAccountId))) throw new ApiError('chat_account_not_found');
  await keepMedia(db, accountId, components);
  const taken = await insertTemplates(db, accountId, templates, actorOf(caller), at);
  if (taken.length > 0) throw templateExists(name, taken);
}

function newTemplate(request: CreateTemplateRequest, language: string): NewTemplate {
  const { name, category, chatAccountId, components, allow_category_change, code_expiration_minutes } =
    request;
  return {
    id: randomUUIDv7(),
    chatAccountId,
    name,
    language,
    category,
    components,
    allowCategoryChange: allow_category_change ?? false,
    codeExpirationMinutes: code_expiration_minutes ?? null,
  };
}

function editedContent(template: TemplateRow, change: EditTemplateRequest): TemplateContent {
  const { code_expiration_minutes: minutes = template.codeExpirationMinutes } = change;
  return {
    category: change.category ?? template.category,
    components: change.components ?? template.components,
    allowCategoryChange: change.allow_category_change ?? template.allowCategoryChange,
    codeExpirationMinutes: minutes,
  };
}

function templateExists(name: string, languages: string[]): ApiError {
  return new ApiError(
    'template_exists',
    `The chat account has a template named "${name}" in ${languages.join(', ')} already.`,
  );
}
