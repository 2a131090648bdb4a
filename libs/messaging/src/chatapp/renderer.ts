import { Injectable } from '@nestjs/common';
import type { ClaimedChat } from '@signalbox/database/chat/fan-out';
import { type TemplateVersion, listTemplateVersions } from '@signalbox/database/templates/chat-templates';
import {
  type ChatContent,
  type RenderedChat,
  type TemplateSend,
  renderSession,
} from '@signalbox/domain/chat/message';
import {
  type CompiledTemplate,
  type TemplateValues,
  compileTemplate,
  renderTemplate,
} from '@signalbox/domain/chat/template';
import { fillTemplate } from '@signalbox/domain/chat/template-filling';
import { isSubmissionId } from '@signalbox/domain/message-id';
import type { OutgoingChatMessage } from '@signalbox/gateways/chat-app-gateway';
import { Logger } from '@signalbox/runtime/logger';
import { LruMap } from '@signalbox/runtime/lru-map';
import { Sealer } from '@signalbox/runtime/seal';
import { EntityManager } from 'typeorm';
import { outgoingMessage } from '../lanes/outgoing-message.ts';
import { UnreadableError, UnreadableMessages, openSealed } from '../lanes/unreadable.ts';

/** Minimum number of compiled templates in memory, and half of the maximum; a batch names fewer. */
const MIN_COMPILED = 2_000;

/** Renders claimed messages. Rows alone decide the result, so that a message claimed again has the same content. */
@Injectable()
export class ChatRenderer {
  /** By id and version. A version never changes. */
  private readonly templates = new LruMap<string, CompiledTemplate>(MIN_COMPILED);

  constructor(
    private readonly db: EntityManager,
    private readonly sealer: Sealer,
    private readonly logger: Logger,
  ) {}

  /**
   * Renders messages. Leaves out those whose code does not open, or whose content or template is unusable, and logs
   * why.
   */
  async render(claimed: ClaimedChat[]): Promise<OutgoingChatMessage[]> {
    const unreadable = new UnreadableMessages(this.logger);
    await this.load(claimed.flatMap(({ content }) => namedTemplate(content)));
    const messages = claimed.flatMap((message) =>
      unreadable.setAside(message.submissionId, () => this.toOutgoing(message)),
    );
    await unreadable.report(this.db);
    return messages;
  }

  private toOutgoing(message: ClaimedChat): OutgoingChatMessage {
    const { content } = message;
    const { template } = content;
    if (!template) return outgoing(message, renderSession(content), null);
    const { compiled, values } = this.valuesOf(message, template);
    const { name, language, category } = template;
    const filling = fillTemplate(compiled, values);
    return outgoing(message, renderTemplate(compiled, values), { name, language, category, filling });
  }

  private valuesOf(
    message: ClaimedChat,
    template: TemplateSend,
  ): { compiled: CompiledTemplate; values: TemplateValues } {
    const compiled = this.templates.get(keyOf(template));
    if (!compiled) throw new UnreadableError('template_unusable');
    if (!compiled.carriesCode) return { compiled, values: template };
    if (!message.sealed) throw new UnreadableError('content_invalid');
    const code = openSealed(this.sealer, message.sealed, message);
    return { compiled, values: { ...template, code } };
  }

  /** Fetches templates that are not in memory, in one statement. */
  private async load(named: TemplateSend[]): Promise<void> {
    const wanted = new Map(named.map((template) => [keyOf(template), template]));
    for (const key of wanted.keys()) if (this.templates.get(key)) wanted.delete(key);
    if (wanted.size === 0) return;
    for (const version of await listTemplateVersions(this.db, [...wanted.values()])) {
      const compiled = compiledOrNone(version);
      if (compiled) this.templates.set(keyOf(version), compiled);
    }
  }
}

/** The template that a message names; none when the statement that fetches it would refuse the name. */
function namedTemplate(content: ChatContent | null): TemplateSend[] {
  const template = content?.template;
  return template && isSubmissionId(template.id) && isInt32(template.version) ? [template] : [];
}

function isInt32(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 31;
}

/** Undefined for a version whose components are invalid. */
function compiledOrNone(version: TemplateVersion): CompiledTemplate | undefined {
  try {
    return compileTemplate(version);
  } catch {
    return undefined;
  }
}

function keyOf({ id, version }: { id: string; version: number }): string {
  return `${id} ${version}`;
}

function outgoing(
  message: ClaimedChat,
  rendered: RenderedChat,
  template: OutgoingChatMessage['template'],
): OutgoingChatMessage {
  const replyTo = message.content.context?.gatewayMessageId;
  return {
    ...outgoingMessage(message, message),
    kind: message.kind,
    template,
    content: rendered,
    ...(replyTo !== undefined && { replyTo }),
  };
}
