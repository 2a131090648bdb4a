import { Injectable } from '@nestjs/common';
import type { SmsTemplate } from '@signalbox/database/templates/sms-template.entity';
import { listSmsTemplatesByKey } from '@signalbox/database/templates/sms-templates';
import { CachedLookup } from '@signalbox/runtime/cached-lookup';
import { EntityManager } from 'typeorm';
import { UUID } from '../http/uuid.ts';

/** Maximum age of a template that a send uses after the template was changed or deleted. */
const FRESH_MS = 900;

const MAX_CACHED = 5_000;

type TemplateKey = Pick<SmsTemplate, 'accountId' | 'id'>;

/** Caches the SMS templates that sends use. */
@Injectable()
export class SmsTemplateCache {
  private readonly templates: CachedLookup<TemplateKey, SmsTemplate>;

  constructor(db: EntityManager) {
    this.templates = new CachedLookup((keys) => findTemplates(db, keys), {
      freshMs: FRESH_MS,
      maxCached: MAX_CACHED,
      keyOf,
    });
  }

  /** A template of an account; undefined for an unknown id or a template of another account. */
  async find(accountId: string, id: string): Promise<SmsTemplate | undefined> {
    return UUID.test(id) ? this.templates.find({ accountId, id }) : undefined;
  }
}

async function findTemplates(db: EntityManager, keys: TemplateKey[]): Promise<(SmsTemplate | undefined)[]> {
  const found = await listSmsTemplatesByKey(db, keys);
  const byKey = new Map(found.map((template) => [keyOf(template), template]));
  return keys.map((key) => byKey.get(keyOf(key)));
}

function keyOf({ accountId, id }: TemplateKey): string {
  return `${accountId} ${id}`;
}
