import { Injectable } from '@nestjs/common';
import { type SendingNumber, findSendingNumbers } from '@signalbox/database/chat/senders';
import {
  type SendableTemplate,
  type TemplateName,
  findSendableTemplates,
} from '@signalbox/database/templates/chat-templates';
import { type CompiledTemplate, compileTemplate } from '@signalbox/domain/chat/template';
import { CachedLookup } from '@signalbox/runtime/cached-lookup';
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
  private readonly senders: CachedLookup<string, SendingNumber>;
  private readonly templates: CachedLookup<string, ReadyTemplate | 'not_approved'>;
  private readonly compiled = new Map<string, CompiledTemplate>();

  constructor(db: EntityManager) {
    const options = { freshMs: FRESH_MS, maxCached: MAX_CACHED };
    this.senders = new CachedLookup((keys) => findSendingNumbers(db, keys.map(readSender)), options);
    this.templates = new CachedLookup(async (keys) => {
      const found = await findSendableTemplates(db, keys.map(readName));
      return found.map((template) => (typeof template === 'object' ? this.ready(template) : template));
    }, options);
  }

  /** A sender of an account; undefined also for a sender of another account. */
  findSender(accountId: string, msisdn: string): Promise<SendingNumber | undefined> {
    return this.senders.find(`${accountId} ${msisdn}`);
  }

  /** The template that a send names. */
  findTemplate({
    accountId,
    chatAccountId,
    name,
    language,
  }: TemplateName): Promise<ReadyTemplate | 'not_approved' | undefined> {
    return this.templates.find(`${accountId} ${chatAccountId} ${name} ${language ?? ''}`);
  }

  private ready({ id, version, name, language, ...content }: SendableTemplate): ReadyTemplate {
    const key = `${id} ${version}`;
    const compiled = this.compiled.get(key) ?? compileTemplate(content);
    if (this.compiled.size >= MAX_CACHED) this.compiled.clear();
    this.compiled.set(key, compiled);
    return { id, version, name, language, category: content.category, compiled };
  }
}

function readSender(key: string): { accountId: string; msisdn: string } {
  const [accountId = '', msisdn = ''] = key.split(' ');
  return { accountId, msisdn };
}

/** Only a language may hold spaces, and then there is none of that name. */
function readName(key: string): TemplateName {
  const [accountId = '', chatAccountId, name = '', ...language] = key.split(' ');
  return { accountId, chatAccountId: Number(chatAccountId), name, language: language.join(' ') || undefined };
}
