import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { type StoredContent, findContent } from '@signalbox/database/messages/content';
import { findShortLinks } from '@signalbox/database/messages/short-links';
import type { SmsContent } from '@signalbox/database/submissions/submissions';
import { listTemplateVersions } from '@signalbox/database/templates/chat-templates';
import {
  type ChatContent,
  type RenderedChat,
  readableText,
  renderSession,
} from '@signalbox/domain/chat/message';
import { compileTemplate, renderTemplate } from '@signalbox/domain/chat/template';
import { shortCode } from '@signalbox/domain/links/short-code';
import { type MessageKey, messageId } from '@signalbox/domain/message-id';
import { encodingOf } from '@signalbox/domain/sms/parts';
import { renderText } from '@signalbox/domain/sms/text';
import { EntityManager } from 'typeorm';
import { ApiConfig } from '../config.ts';
import { SEARCHES } from '../core.module.ts';
import type { MessageContentView } from './message-content.view.ts';

/** Lanes of one-time passwords, whose content is never shown. */
const CODE_LANES = new Set(['OTP', 'CHAT_OTP']);

const EMPTY: MessageContentView = {
  text: null,
  isCode: false,
  encoding: null,
  flash: false,
  smsTemplateId: null,
  rendered: null,
};

/** The content of a message, and facts that only its own page shows. */
export interface MessageDetails {
  content: MessageContentView;
  sendSize: number;
  gatewayMessageId: string | null;
}

/** Renders the contents of messages from their rows, as the workers render them. */
@Injectable()
export class MessageContents {
  constructor(
    @InjectEntityManager(SEARCHES) private readonly db: EntityManager,
    private readonly config: ApiConfig,
  ) {}

  /** Reads a message of an account; undefined when it was deleted meanwhile. */
  async find(accountId: string, key: MessageKey): Promise<MessageDetails | undefined> {
    const stored = await findContent(this.db, accountId, key);
    if (!stored) return undefined;
    const { total: sendSize, gatewayMessageId } = stored;
    return { content: await this.render(key, stored), sendSize, gatewayMessageId };
  }

  private async render(key: MessageKey, stored: StoredContent): Promise<MessageContentView> {
    if (CODE_LANES.has(stored.lane)) return { ...EMPTY, isCode: true };
    if (stored.channel === 'chatapp') {
      const rendered = await this.renderChat(stored.content);
      return { ...EMPTY, text: rendered && readableText(rendered), rendered };
    }
    const { content, values } = stored;
    const text = await this.renderSms(key, content, values);
    return {
      ...EMPTY,
      text,
      encoding: text === null ? null : encodingOf(text, content.unicode),
      flash: content.flash,
      smsTemplateId: content.templateId ?? null,
    };
  }

  /** Null for rows that no worker could render either. */
  private async renderSms(
    key: MessageKey,
    { text, pieces = [], links }: SmsContent,
    values: string[] | null,
  ): Promise<string | null> {
    if (typeof text === 'string') return text;
    const codes = links ? await this.codesOf(key, links.targets.length) : [];
    try {
      return renderText(pieces, values ?? [], (link) => `${links?.base}${codes[link - 1]}`);
    } catch {
      return null;
    }
  }

  /** The codes of a message's links. A stored link keeps the code of the secret that was the first then. */
  private async codesOf({ submissionId, n }: MessageKey, links: number): Promise<string[]> {
    const id = messageId(submissionId, n);
    const candidates = Array.from({ length: links }, (_, link) =>
      this.config.secretKeys.map((secret) => shortCode(secret, id, link + 1)),
    );
    const stored = new Set((await findShortLinks(this.db, candidates.flat())).map(({ code }) => code));
    return candidates.map((codes) => codes.find((code) => stored.has(code)) ?? codes[0]!);
  }

  /** Null for rows that no worker could render either. */
  private async renderChat(content: ChatContent): Promise<RenderedChat | null> {
    const { template } = content;
    try {
      if (!template) return renderSession(content);
      const [version] = await listTemplateVersions(this.db, [template]);
      return version ? renderTemplate(compileTemplate(version), template) : null;
    } catch {
      return null;
    }
  }
}
