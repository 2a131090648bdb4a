import { Injectable } from '@nestjs/common';
import { findLastInbound } from '@signalbox/database/chat/pairs';
import { findInboundGatewayId, findSentGatewayId } from '@signalbox/database/chat/replies';
import { sessionEnd } from '@signalbox/domain/chat/limits';
import {
  type ChatContent,
  type ChatKind,
  type RenderedChat,
  renderSession,
} from '@signalbox/domain/chat/message';
import { renderTemplate } from '@signalbox/domain/chat/template';
import { isSubmissionId, parseMessageId } from '@signalbox/domain/message-id';
import type { ChatLane } from '@signalbox/domain/lane';
import { EntityManager } from 'typeorm';
import { ApiError } from '../errors/api-error.ts';
import { ChatLookups, type ReadyTemplate } from './chat-lookups.ts';
import type { ChatMessageRequest } from './chat-message.dto.ts';
import { fitValues } from './template-values.ts';

/** The content of a request, ready to be stored. */
export interface ComposedChat {
  lane: ChatLane;
  content: ChatContent;
  /** Code of an AUTHENTICATION template; stored apart from the content. */
  code?: string | undefined;
  /** Lifetime of the code in minutes; null when unknown. */
  codeMinutes: number | null;
  /** Paths of values that the template does not use. */
  ignored: string[];
  /** Renders the message as the recipient sees it. */
  show: () => RenderedChat;
}

/** Composes the content of a message: its own, or that of its template. */
@Injectable()
export class ChatComposer {
  constructor(
    private readonly db: EntityManager,
    private readonly lookups: ChatLookups,
  ) {}

  /**
   * @throws ApiError sender_not_found, message_not_found, session_window_closed, template_not_found,
   * template_not_approved, those of `fitValues`
   */
  async compose(accountId: string, request: ChatMessageRequest): Promise<ComposedChat> {
    const sender = await this.lookups.findSender(accountId, request.sender);
    if (!sender) throw new ApiError('sender_not_found');
    const context = await this.findReplied(accountId, request);
    if (request.type === 'template')
      return fill(await this.getTemplate(accountId, sender.chatAccountId, request), request, context);
    if (sender.sessionWindow === 'enforce') await this.requireOpenSession(accountId, request);
    const content = { ...sessionContent(request), ...context };
    return { lane: 'CHAT', content, codeMinutes: null, ignored: [], show: () => renderSession(content) };
  }

  /** Finds the message that a message replies to, by the id that its gateway gave it. */
  private async findReplied(
    accountId: string,
    { context, sender, recipient }: ChatMessageRequest,
  ): Promise<Pick<ChatContent, 'context'>> {
    if (context === undefined) return {};
    const { messageId } = context;
    const key = parseMessageId(messageId);
    const conversation = { sender, recipient };
    const find = (): Promise<string | undefined> | undefined => {
      if (key) return findSentGatewayId(this.db, accountId, conversation, key);
      if (!isSubmissionId(messageId)) return undefined;
      return findInboundGatewayId(this.db, accountId, conversation, messageId);
    };
    const gatewayMessageId = await find();
    if (gatewayMessageId === undefined) throw new ApiError('message_not_found');
    return { context: { messageId, gatewayMessageId } };
  }

  private async getTemplate(
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

/** The one member that the type of a message names. */
function sessionContent({
  type,
  text,
  image,
  video,
  document,
  interactive,
}: ChatMessageRequest): ChatContent {
  const members: Record<Exclude<ChatKind, 'template'>, ChatContent | undefined> = {
    text: text && { text },
    image: image && { image },
    video: video && { video },
    document: document && { document },
    interactive: interactive && { interactive },
  };
  const content = type === 'template' ? undefined : members[type];
  if (!content) throw new Error(`a message of type ${type} lacks its member`);
  return content;
}

function fill(
  { compiled, ...template }: ReadyTemplate,
  request: ChatMessageRequest,
  context: Pick<ChatContent, 'context'>,
): ComposedChat {
  const { values, ignored } = fitValues(compiled, request);
  const { params, header, code } = values;
  return {
    lane: compiled.carriesCode ? 'CHAT_OTP' : 'CHAT',
    content: { template: { ...template, params: [...params], ...(header && { header }) }, ...context },
    code,
    codeMinutes: compiled.codeMinutes,
    ignored,
    show: () => renderTemplate(compiled, values),
  };
}
