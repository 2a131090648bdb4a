import { Injectable } from '@nestjs/common';
import { type SendingNumber, findSendingNumbers } from '@signalbox/database/chat/senders';
import {
  type SendableTemplate,
  type TemplateName,
  findSendableTemplates,
} from '@signalbox/database/templates/chat-templates';
import { type CompiledTemplate, compileTemplate } from '@signalbox/domain/chat/template';
import { CachedLookup } from '@signalbox/runtime/cached-lookup';
import { LruMap } from '@signalbox/runtime/lru-map';
import { EntityManager } from 'typeorm';

/** Sends may use a changed or deleted row for this long. */
const FRESH_MS = 900;

const MAX_CACHED = 5_000;

/** A sendable template, compiled. */
export interface ReadyTemplate
  extends Pick<SendableTemplate, 'id' | 'version' | 'name' | 'language' | 'category'> {
  compiled: CompiledTemplate;
}

/** Senders and templates of sends, cached for a moment. Each version of a template is compiled once. */
@Injectable()
export class ChatLookups {
  private readonly senders: CachedLookup<SenderName, SendingNumber>;
  private readonly templates: CachedLookup<TemplateName, ReadyTemplate | 'not_approved'>;
  private readonly compiled = new LruMap<string, CompiledTemplate>(MAX_CACHED);

  constructor(db: EntityManager) {
    const options = { freshMs: FRESH_MS, maxCached: MAX_CACHED };
    this.senders = new CachedLookup((names) => findSendingNumbers(db, names), {
      ...options,
      keyOf: ({ accountId, msisdn }) => `${accountId} ${msisdn}`,
    });
    this.templates = new CachedLookup((names) => this.listTemplates(db, names), {
      ...options,
      keyOf: ({ accountId, chatAccountId, name, language = '' }) =>
        `${accountId} ${chatAccountId} ${name} ${language}`,
    });
  }

  /** A sender of an account; undefined also for a sender of another account. */
  findSender(accountId: string, msisdn: string): Promise<SendingNumber | undefined> {
    return this.senders.find({ accountId, msisdn });
  }

  /** The template that a send names. */
  findTemplate(name: TemplateName): Promise<ReadyTemplate | 'not_approved' | undefined> {
    return this.templates.find(name);
  }

  private async listTemplates(
    db: EntityManager,
    names: TemplateName[],
  ): Promise<(ReadyTemplate | 'not_approved' | undefined)[]> {
    const found = await findSendableTemplates(db, names);
    return found.map((template) => (typeof template === 'object' ? this.readyOrNone(template) : template));
  }

  /** A version whose components are damaged counts as absent, and fails no other send that is looked up with it. */
  private readyOrNone(template: SendableTemplate): ReadyTemplate | undefined {
    try {
      return this.ready(template);
    } catch {
      return undefined;
    }
  }

  private ready({ id, version, name, language, ...content }: SendableTemplate): ReadyTemplate {
    const key = `${id} ${version}`;
    const compiled = this.compiled.get(key) ?? compileTemplate(content);
    this.compiled.set(key, compiled);
    return { id, version, name, language, category: content.category, compiled };
  }
}

interface SenderName {
  accountId: string;
  msisdn: string;
}
