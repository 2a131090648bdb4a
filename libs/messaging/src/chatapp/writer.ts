import { Injectable } from '@nestjs/common';
import type { ClaimedChat } from '@signalbox/database/chat/fan-out';
import { listTemplateVersions } from '@signalbox/database/templates/chat-templates';
import { type RenderedChat, type TemplateSend, renderSession } from '@signalbox/domain/chat/message';
import { type CompiledTemplate, compileTemplate, renderTemplate } from '@signalbox/domain/chat/template';
import { messageId } from '@signalbox/domain/message-id';
import type { OutgoingChatMessage } from '@signalbox/gateways/chat-app-gateway';
import { Sealer } from '@signalbox/runtime/seal';
import { EntityManager } from 'typeorm';

/** Maximum number of compiled templates in memory; a batch names fewer. */
const MAX_COMPILED = 2_000;

/** Renders claimed messages. Rows alone decide the result, so that a message claimed again has the same content. */
@Injectable()
export class ChatWriter {
  /** By id and version, least recently used first. A version never changes. */
  private readonly templates = new Map<string, CompiledTemplate>();

  constructor(
    private readonly db: EntityManager,
    private readonly sealer: Sealer,
  ) {}

  /** Renders messages. Leaves out those whose code is sealed with an unknown key. */
  async write(claimed: ClaimedChat[]): Promise<OutgoingChatMessage[]> {
    await this.load(claimed.flatMap(({ content }) => content.template ?? []));
    return claimed.flatMap((message) => {
      const content = this.render(message);
      return content === undefined ? [] : [toOutgoing(message, content)];
    });
  }

  private render({ content, sealed }: ClaimedChat): RenderedChat | undefined {
    const { template } = content;
    if (!template) return renderSession(content);
    const compiled = this.templates.get(keyOf(template));
    if (!compiled?.carriesCode) return compiled && renderTemplate(compiled, template);
    if (!sealed || !this.sealer.canOpen(sealed)) return undefined;
    return renderTemplate(compiled, { ...template, code: this.sealer.open(sealed) });
  }

  /** Fetches templates that are not in memory, in one statement. */
  private async load(named: TemplateSend[]): Promise<void> {
    const wanted = new Map(named.map((template) => [keyOf(template), template]));
    for (const key of wanted.keys()) {
      const compiled = this.templates.get(key);
      if (!compiled) continue;
      this.keep(key, compiled);
      wanted.delete(key);
    }
    if (wanted.size === 0) return;
    for (const version of await listTemplateVersions(this.db, [...wanted.values()]))
      this.keep(keyOf(version), compileTemplate(version));
  }

  private keep(key: string, compiled: CompiledTemplate): void {
    this.templates.delete(key);
    this.templates.set(key, compiled);
    const [oldest] = this.templates.keys();
    if (this.templates.size > MAX_COMPILED && oldest !== undefined) this.templates.delete(oldest);
  }
}

function keyOf({ id, version }: { id: string; version: number }): string {
  return `${id} ${version}`;
}

function toOutgoing(
  { submissionId, n, sender, recipient, kind, content, attempt }: ClaimedChat,
  rendered: RenderedChat,
): OutgoingChatMessage {
  const { template } = content;
  return {
    messageId: messageId(submissionId, n),
    sender,
    recipient,
    kind,
    template: template
      ? { name: template.name, language: template.language, category: template.category }
      : null,
    content: rendered,
    attempt,
  };
}
