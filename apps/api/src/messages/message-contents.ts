import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { type StoredContent, listContents } from '@signalbox/database/messages/content';
import { findShortLinks } from '@signalbox/database/messages/short-links';
import type { SmsContent } from '@signalbox/database/submissions/submissions';
import { type TemplateVersion, listTemplateVersions } from '@signalbox/database/templates/chat-templates';
import {
  type ChatContent,
  type RenderedChat,
  readableText,
  renderSession,
} from '@signalbox/domain/chat/message';
import { type CompiledTemplate, compileTemplate, renderTemplate } from '@signalbox/domain/chat/template';
import { CODE_LANES } from '@signalbox/domain/lane';
import { shortCode } from '@signalbox/domain/links/short-code';
import { type MessageKey, messageId } from '@signalbox/domain/message-id';
import { encodingOf } from '@signalbox/domain/sms/parts';
import { renderText } from '@signalbox/domain/sms/text';
import { EntityManager } from 'typeorm';
import { ApiConfig } from '../config.ts';
import { SEARCHES } from '../core.module.ts';
import type { MessageContentView } from './message-content.view.ts';

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

/** Templates and links that contents are rendered from, besides their rows. */
interface Sources {
  /** By id and version. */
  templates: ReadonlyMap<string, CompiledTemplate>;
  /** Codes of stored short links. */
  codes: ReadonlySet<string>;
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
    return (await this.list(accountId, [key])).get(idOf(key));
  }

  /**
   * Reads messages of an account by three statements at most.
   *
   * @returns details by message id; those that were deleted meanwhile are absent
   */
  async list(accountId: string, keys: readonly MessageKey[]): Promise<Map<string, MessageDetails>> {
    const rows = keys.length === 0 ? [] : await listContents(this.db, accountId, keys);
    const shown = rows.filter(({ lane }) => !CODE_LANES.includes(lane));
    const [templates, codes] = await Promise.all([this.templatesOf(shown), this.storedCodes(shown)]);
    return new Map(
      rows.map((row) => {
        const { total: sendSize, gatewayMessageId } = row;
        const content = this.render(row, { templates, codes });
        return [idOf(row), { content, sendSize, gatewayMessageId }];
      }),
    );
  }

  private render(row: StoredContent, sources: Sources): MessageContentView {
    if (CODE_LANES.includes(row.lane)) return { ...EMPTY, isCode: true };
    if (row.channel === 'chatapp') {
      const rendered = renderChat(row.content, sources.templates);
      return { ...EMPTY, text: rendered && readableText(rendered), rendered };
    }
    const { content } = row;
    const text = this.renderSms(row, content, sources.codes);
    return {
      ...EMPTY,
      text,
      encoding: text === null ? null : encodingOf(text, content.unicode),
      flash: content.flash,
      smsTemplateId: content.templateId ?? null,
    };
  }

  /** Null for rows that no worker could render either. */
  private renderSms(
    row: StoredContent,
    { text, pieces = [], links }: SmsContent,
    stored: Sources['codes'],
  ): string | null {
    if (typeof text === 'string') return text;
    const codeOf = (link: number): string => {
      const codes = this.codesOf(row, link);
      return codes.find((code) => stored.has(code)) ?? codes[0]!;
    };
    try {
      return renderText(pieces, row.values ?? [], (link) => `${links?.base}${codeOf(link)}`);
    } catch {
      return null;
    }
  }

  /** Possible codes of a link, one per secret. A stored link keeps the code of the secret that was the first then. */
  private codesOf(key: MessageKey, link: number): string[] {
    return this.config.secretKeys.map((secret) => shortCode(secret, idOf(key), link));
  }

  private async storedCodes(rows: readonly StoredContent[]): Promise<Set<string>> {
    const candidates = rows.flatMap((row) => {
      const links = row.channel === 'sms' ? (row.content.links?.targets.length ?? 0) : 0;
      return Array.from({ length: links }, (_, i) => this.codesOf(row, i + 1)).flat();
    });
    if (candidates.length === 0) return new Set();
    return new Set((await findShortLinks(this.db, candidates)).map(({ code }) => code));
  }

  private async templatesOf(rows: readonly StoredContent[]): Promise<Sources['templates']> {
    const named = rows.flatMap((row) => (row.channel === 'chatapp' && row.content.template) || []);
    const wanted = new Map(named.map((template) => [versionOf(template), template]));
    if (wanted.size === 0) return new Map();
    const versions = await listTemplateVersions(this.db, [...wanted.values()]);
    return new Map(versions.flatMap((version) => compiled(version)));
  }
}

const idOf = ({ submissionId, n }: MessageKey): string => messageId(submissionId, n);
const versionOf = ({ id, version }: Pick<TemplateVersion, 'id' | 'version'>): string => `${id} ${version}`;

/** A version that does not compile was never sent. */
function compiled(version: TemplateVersion): [string, CompiledTemplate][] {
  try {
    return [[versionOf(version), compileTemplate(version)]];
  } catch {
    return [];
  }
}

/** Null for rows that no worker could render either. */
function renderChat(content: ChatContent, templates: Sources['templates']): RenderedChat | null {
  const { template } = content;
  try {
    if (!template) return renderSession(content);
    const found = templates.get(versionOf(template));
    return found ? renderTemplate(found, template) : null;
  } catch {
    return null;
  }
}
