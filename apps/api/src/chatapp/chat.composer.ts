import { findLastInbound } from '@signalbox/database/chat/pairs';
import { sessionEnd } from '@signalbox/domain/chat/limits';
import { type ChatContent, type RenderedChat, renderSession } from '@signalbox/domain/chat/message';
import { renderTemplate } from '@signalbox/domain/chat/template';
import type { ChatLane } from '@signalbox/domain/lane';
import type { EntityManager } from 'typeorm';
import { ApiError } from '../errors/api-error.ts';
import type { ChatLookups, ReadyTemplate } from './chat-lookups.ts';
import type { ChatMessageRequest } from './chat-message.dto.ts';
import { fitValues } from './template-values.ts';

/** What a request says, ready to be stored. */
export interface ComposedChat {
  lane: ChatLane;
  content: ChatContent;
  /** The code of an AUTHENTICATION template, which is no part of the content. */
  code?: string | undefined;
  /** After how many minutes that code is of no more use; null when nobody knows. */
  codeMinutes: number | null;
  /** Paths of what the template has no use for. */
  ignored: string[];
  /** What the recipient will see. */
  show: () => RenderedChat;
}

/** Works out what the recipient of a request is to see: what it says itself, or its template filled in. */
export class ChatComposer {
  constructor(
    private readonly db: EntityManager,
    private readonly lookups: ChatLookups,
  ) {}

  /** @throws ApiError sender_not_found, session_window_closed, template_not_found, template_not_approved, those of `fitValues` */
  async compose(accountId: string, request: ChatMessageRequest): Promise<ComposedChat> {
    const sender = await this.lookups.findSender(accountId, request.sender);
    if (!sender) throw new ApiError('sender_not_found');
    if (request.type === 'template')
      return fill(await this.findTemplate(accountId, sender.chatAccountId, request), request);
    if (sender.sessionWindow === 'enforce') await this.requireOpenSession(accountId, request);
    const content = { [request.type]: request[request.type] } as ChatContent;
    return { lane: 'CHAT', content, codeMinutes: null, ignored: [], show: () => renderSession(content) };
  }

  private async findTemplate(
    accountId: string,
    chatAccountId: number,
    request: ChatMessageRequest,
  ): Promise<ReadyTemplate> {
    const name = { accountId, chatAccountId, name: request.templateName!, language: request.language?.code };
    const template = await this.lookups.findTemplate(name);
    if (!template) throw new ApiError('template_not_found');
    if (template === 'not_approved') throw new ApiError('template_not_approved');
    return template;
  }

  private async requireOpenSession(
    accountId: string,
    { sender, recipient }: ChatMessageRequest,
  ): Promise<void> {
    const lastInbound = await findLastInbound(this.db, accountId, sender, recipient);
    if (!lastInbound || sessionEnd(lastInbound) < new Date()) throw new ApiError('session_window_closed');
  }
}

function fill({ compiled, ...template }: ReadyTemplate, request: ChatMessageRequest): ComposedChat {
  const { values, ignored } = fitValues(compiled, request);
  const { params, header, code } = values;
  return {
    lane: compiled.carriesCode ? 'CHAT_OTP' : 'CHAT',
    content: { template: { ...template, params: [...params], ...(header && { header }) } },
    code,
    codeMinutes: compiled.codeMinutes,
    ignored,
    show: () => renderTemplate(compiled, values),
  };
}
