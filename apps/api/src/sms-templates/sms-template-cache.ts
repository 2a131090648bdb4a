import { Injectable } from '@nestjs/common';
import type { SmsTemplate } from '@signalbox/database/templates/sms-template.entity';
import { listSmsTemplatesByKey } from '@signalbox/database/templates/sms-templates';
import { CachedLookup } from '@signalbox/runtime/cached-lookup';
import { EntityManager } from 'typeorm';
import { UUID } from '../http/uuid.ts';

/** A template that was changed or deleted is sent as it was for no longer than this. */
const FRESH_MS = 900;

const MAX_CACHED = 5_000;

/** The templates that are being sent with. */
@Injectable()
export class SmsTemplateCache {
  private readonly templates: CachedLookup<SmsTemplate>;

  constructor(db: EntityManager) {
    this.templates = new CachedLookup((keys) => findTemplates(db, keys), {
      freshMs: FRESH_MS,
      maxCached: MAX_CACHED,
    });
  }

  /** A template of an account; undefined when there is none, whoever else may have it. */
  async find(accountId: string, id: string): Promise<SmsTemplate | undefined> {
    return UUID.test(id) ? this.templates.find(`${accountId} ${id}`) : undefined;
  }
}

async function findTemplates(db: EntityManager, keys: string[]): Promise<(SmsTemplate | undefined)[]> {
  const wanted = keys.map((key) => ({ accountId: key.slice(0, 36), id: key.slice(37) }));
  const found = new Map(
    (await listSmsTemplatesByKey(db, wanted)).map((template) => [
      `${template.accountId} ${template.id}`,
      template,
    ]),
  );
  return keys.map((key) => found.get(key));
}
