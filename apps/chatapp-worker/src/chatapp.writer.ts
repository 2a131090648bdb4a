import type { ClaimedChat } from '@signalbox/database/chat/fan-out';
import { listTemplateVersions } from '@signalbox/database/templates/chat-templates';
import { type RenderedChat, type TemplateSend, renderSession } from '@signalbox/domain/chat/message';
import { type CompiledTemplate, compileTemplate, renderTemplate } from '@signalbox/domain/chat/template';
import { messageId } from '@signalbox/domain/message-id';
import type { OutgoingChatMessage } from '@signalbox/gateways/chat-app-gateway';
import type { Sealer } from '@signalbox/runtime/seal';
import type { EntityManager } from 'typeorm';

/** Templates that are kept compiled; a version never changes. One batch names fewer. */
const MAX_KEPT = 2_000;

/** Writes claimed messages as phones show them. What it writes follows from the rows alone: a message that is taken up again says the same. */
export class ChatappWriter {
  /** By id and version, the one that was not used for longest first. */
  private readonly templates = new Map<string, CompiledTemplate>();

  constructor(
    private readonly db: EntityManager,
    private readonly sealer: Sealer,
  ) {}

  /** The messages ready to be submitted. One whose code was sealed with a key that this process has not is left out. */
  async write(claimed: ClaimedChat[]): Promise<OutgoingChatMessage[]> {
    await this.learn(claimed.flatMap(({ content }) => content.template ?? []));
    return claimed.flatMap((message) => {
      const content = this.render(message);
      return content === undefined ? [] : [toOutgoing(message, content)];
    });
  }

  private render({ content, sealed }: ClaimedChat): RenderedChat | undefined {
    const { template } = content;
    if (!template) return renderSession(content);
    const compiled = this.templates.get(nameOf(template));
    if (!compiled?.carriesCode) return compiled && renderTemplate(compiled, template);
    if (!sealed || !this.sealer.canOpen(sealed)) return undefined;
    return renderTemplate(compiled, { ...template, code: this.sealer.open(sealed) });
  }

  /** Fetches the templates that are not known yet, in one statement. */
  private async learn(named: TemplateSend[]): Promise<void> {
    const wanted = new Map(named.map((template) => [nameOf(template), template]));
    for (const name of wanted.keys()) {
      const compiled = this.templates.get(name);
      if (!compiled) continue;
      this.keep(name, compiled);
      wanted.delete(name);
    }
    if (wanted.size === 0) return;
    for (const version of await listTemplateVersions(this.db, [...wanted.values()]))
      this.keep(nameOf(version), compileTemplate(version));
  }

  private keep(name: string, compiled: CompiledTemplate): void {
    this.templates.delete(name);
    this.templates.set(name, compiled);
    const [oldest] = this.templates.keys();
    if (this.templates.size > MAX_KEPT && oldest !== undefined) this.templates.delete(oldest);
  }
}

function nameOf({ id, version }: { id: string; version: number }): string {
  return `${id} ${version}`;
}

function toOutgoing(
  { submissionId, n, sender, recipient, kind, content, attempt }: ClaimedChat,
  shown: RenderedChat,
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
    content: shown,
    attempt,
  };
}
