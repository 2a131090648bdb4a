import { randomUUIDv7 } from 'node:crypto';
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
import { MOVES, templateStatusWord } from '@signalbox/domain/templates/status';
import type { Bell } from '@signalbox/runtime/bell';
import type { EntityManager } from 'typeorm';
import { actorOf } from '../auth/caller.ts';
import { ApiError, invalidRequest } from '../errors/api-error.ts';
import type { CreatingCall, Creations } from '../http/creations.ts';
import type { Cursors } from '../http/cursor.ts';
import { UUID } from '../http/uuid.ts';
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
  type TemplateEventView,
  type TemplateView,
  createdTemplates,
  templateEventView,
  templateView,
} from './template.view.ts';

/** Keeps the templates of a tenant's chat accounts. */
export class TemplatesService {
  constructor(
    private readonly db: EntityManager,
    private readonly cursors: Cursors,
    private readonly creations: Creations,
    private readonly bell: Bell,
  ) {}

  /**
   * Creates a template in each language that the request names, all or none, and puts them under review.
   *
   * @throws ApiError chat_account_not_found, media_not_found, template_exists; those of idempotency keys
   */
  async create(
    call: CreatingCall,
    request: CreateTemplateRequest,
    caller: KeyHolder,
  ): Promise<CreatedTemplates> {
    const at = new Date();
    const templates = request.languages.map((language) => newTemplate(request, language));
    const created = await this.creations.once(call, createdTemplates(templates, at), async (db) => {
      if (!(await lockChatAccount(db, caller.accountId, request.chatAccountId)))
        throw new ApiError('chat_account_not_found');
      await keepMedia(db, caller.accountId, request.components);
      const taken = await insertTemplates(db, caller.accountId, templates, actorOf(caller), at);
      if (taken.length > 0) throw templateExists(request.name, taken);
    });
    this.bell.ring(created.data.map(({ id }) => id));
    return created;
  }

  /** @throws ApiError template_not_found, also for another tenant's */
  async get(accountId: string, id: string): Promise<TemplateView> {
    return templateView(await this.find(accountId, id));
  }

  /** A page of the account's templates, newest first. @throws ApiError chat_account_not_found for a filter by one that is not there */
  async list(
    accountId: string,
    query: TemplateListQuery,
  ): Promise<{ page: TemplateView[]; nextCursor: string | null }> {
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
   * Replaces what the request names, and puts the template under review again.
   *
   * @throws ApiError template_not_found, template_not_editable, template_edit_limit, media_not_found, invalid_request for what the whole breaks
   */
  async edit(caller: KeyHolder, request: EditTemplateRequest): Promise<TemplateView> {
    const { accountId } = caller;
    const template = await this.find(accountId, request.id);
    await this.requireEditable(template);
    const content = editedContent(template, request);
    const broken = checkTemplate({
      ...content,
      codeExpirationMinutes: content.codeExpirationMinutes ?? undefined,
    });
    if (broken.length > 0) throw invalidRequest(broken);
    const isEdited = await this.db.transaction(async (db) => {
      await keepMedia(db, accountId, request.components ?? [], template.components);
      return editTemplate(db, accountId, template, content, actorOf(caller));
    });
    const now = await this.find(accountId, request.id);
    if (!isEdited) {
      await this.requireEditable(now);
      throw new ApiError('template_not_editable');
    }
    this.bell.ring([now.id]);
    return templateView(now);
  }

  /** Takes a template away; its name is free again. @throws ApiError template_not_found */
  async delete(caller: KeyHolder, id: string): Promise<void> {
    const isGone = UUID.test(id) && (await deleteTemplate(this.db, caller.accountId, id, actorOf(caller)));
    if (!isGone) throw new ApiError('template_not_found');
  }

  /** Moves a template as a person decided. @throws ApiError template_not_found, template_not_approved, template_not_editable */
  async review(caller: KeyHolder, { id, decision, reason }: ReviewTemplateRequest): Promise<TemplateView> {
    const { accountId } = caller;
    const before = await this.find(accountId, id);
    const moved = await decideTemplates(this.db, [{ id, decision, reason }], actorOf(caller), accountId);
    if (moved.length > 0) return this.get(accountId, id);
    const code = decision === 'pause' ? 'template_not_approved' : 'template_not_editable';
    throw new ApiError(
      code,
      `The template is ${templateStatusWord(before.status)}; it must be ${templateStatusWord(MOVES[decision].from)} for that.`,
    );
  }

  /** What happened to a template, newest first. @throws ApiError template_not_found */
  async history(
    accountId: string,
    query: TemplateHistoryQuery,
  ): Promise<{ page: TemplateEventView[]; nextCursor: string | null }> {
    const { id } = await this.find(accountId, query.id);
    const read = (limit: number, before?: string) =>
      listTemplateEvents(this.db, accountId, id, limit, before);
    return this.cursors.page(`template ${id}`, accountId, query, read, templateEventView);
  }

  /** Rings for what was stored last. */
  onModuleDestroy(): Promise<void> {
    return this.bell.close();
  }

  private async find(accountId: string, id: string): Promise<TemplateRow> {
    const template = UUID.test(id) ? await findTemplate(this.db, accountId, id) : undefined;
    if (!template) throw new ApiError('template_not_found');
    return template;
  }

  /** Says why an edit is refused; the statement that edits decides all the same. */
  private async requireEditable(template: TemplateRow): Promise<void> {
    if (template.status === 'PENDING') throw new ApiError('template_not_editable');
    if (template.editsLeftToday > 0) return;
    throw new ApiError('template_edit_limit', undefined, {
      retryAfterSeconds: await secondsToNextEdit(this.db, template),
    });
  }
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
  return {
    category: change.category ?? template.category,
    components: change.components ?? template.components,
    allowCategoryChange: change.allow_category_change ?? template.allowCategoryChange,
    codeExpirationMinutes: change.code_expiration_minutes ?? template.codeExpirationMinutes,
  };
}

function templateExists(name: string, languages: string[]): ApiError {
  return new ApiError(
    'template_exists',
    `The chat account has a template named "${name}" in ${languages.join(', ')} already.`,
  );
}
