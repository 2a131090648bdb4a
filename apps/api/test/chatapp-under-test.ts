import { randomUUIDv7 } from 'node:crypto';
import { decideTemplates } from '@signalbox/database/template-reviews';
import { insertTemplates } from '@signalbox/database/templates';
import type { Category, TemplateComponent } from '@signalbox/domain/template';
import type { Decision } from '@signalbox/domain/template-status';
import type { TemplateSample } from '@signalbox/tools/test/template-samples';
import type { ApiUnderTest } from './api-under-test.ts';

/** The sender of the demo account. */
export const FROM = '15550100001';

/** A body that POST /v1/chatapp accepts. */
export const GOOD_TEXT = { from: FROM, to: '919800000100', type: 'text', text: { body: 'Hello' } };

/** Stores a template of the demo account's chat account as it is sent in, and decides on it; its id is the answer. */
export async function addTemplate(t: ApiUnderTest, name: string, sample: TemplateSample, ...decisions: Decision[]): Promise<string> {
  const [owner] = await t.db.query(
    `SELECT account_id AS "accountId", chat_account_id::float8 AS "chatAccountId" FROM chat_sender WHERE msisdn = $1`,
    [FROM],
  );
  const id = randomUUIDv7();
  const content = {
    category: sample.category.toUpperCase() as Category,
    components: sample.components as TemplateComponent[],
    allowCategoryChange: sample.allow_category_change ?? false,
    codeExpirationMinutes: sample.code_expiration_minutes ?? null,
  };
  const template = { id, name, language: sample.language, chatAccountId: owner.chatAccountId as number, ...content };
  await insertTemplates(t.db, owner.accountId as string, [template], 'test', new Date());
  for (const decision of decisions) await decideTemplates(t.db, [{ id, decision, reason: 'a test' }], 'test');
  return id;
}
