import { type SendingNumber, findSendingNumbers } from '@signalbox/database/chat/senders';
import {
  type SendableTemplate,
  type TemplateName,
  findSendableTemplates,
} from '@signalbox/database/templates/chat-templates';
import { type CompiledTemplate, compileTemplate } from '@signalbox/domain/chat/template';
import { CachedLookup } from '@signalbox/runtime/cached-lookup';
import type { EntityManager } from 'typeorm';

/** What was changed or taken away is sent with as it was for no longer than this. */
const FRESH_MS = 900;

const MAX_CACHED = 5_000;

/** A template as it is sent, taken apart. */
export interface ReadyTemplate
  extends Pick<SendableTemplate, 'id' | 'version' | 'name' | 'language' | 'category'> {
  compiled: CompiledTemplate;
}

/** The senders and the templates that are being sent with. A version of a template is taken apart once. */
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

  /** A number of an account; undefined when it has none such, whoever else may have it. */
  findSender(accountId: string, msisdn: string): Promise<SendingNumber | undefined> {
    return this.senders.find(`${accountId} ${msisdn}`);
  }

  /** The template that a send names; undefined when there is none. */
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
