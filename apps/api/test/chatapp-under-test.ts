import { randomUUIDv7 } from 'node:crypto';
import { expect } from '@jest/globals';
import { decideTemplates } from '@signalbox/database/templates/reviews';
import { insertTemplates } from '@signalbox/database/templates/templates';
import type { Category, TemplateComponent } from '@signalbox/domain/templates/template';
import type { Decision } from '@signalbox/domain/templates/status';
import type { TemplateSample } from '@signalbox/test/template-samples';
import { type ApiUnderTest, type BadInput, type Call, expectFailure } from './api-under-test.ts';

/** Path of sends. */
export const MESSAGES = '/v1/chatapp';

/** The sender of the demo account. */
export const FROM = '15550100001';

/** A body that POST /v1/chatapp accepts. */
export const GOOD_TEXT = { from: FROM, to: '919800000100', type: 'text', text: { body: 'Hello' } };

/** Inserts a template of the demo account's chat account, and applies decisions to it. @returns its id */
export async function addTemplate(
  t: ApiUnderTest,
  name: string,
  sample: TemplateSample,
  ...decisions: Decision[]
): Promise<string> {
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
  const template = {
    id,
    name,
    language: sample.language,
    chatAccountId: owner.chatAccountId as number,
    ...content,
  };
  await insertTemplates(t.db, owner.accountId as string, [template], 'test', new Date());
  for (const decision of decisions) await decideTemplates(t.db, [{ id, decision, reason: 'a test' }], 'test');
  return id;
}

/** A bad input: a good body with these fields replaced, and each `field rule` it breaks. Undefined removes a field. */
export function broken(name: string, good: object, fields: object, ...rules: string[]): BadInput {
  return [name, { body: { ...good, ...fields } }, 400, 'invalid_request', rules];
}

/** Checks that a send fails and stores nothing, and that the next good send is served. */
export async function expectMessageRefused(
  t: ApiUnderTest,
  call: Call,
  status: number,
  code: string,
  ...[rules]: unknown[]
): Promise<void> {
  const before = await t.countRows();
  expectFailure(await t.call({ path: MESSAGES, ...call }), status, code, Array.isArray(rules) ? rules : []);
  expect(await t.countRows()).toEqual(before);
  expect((await t.call({ path: MESSAGES, body: GOOD_TEXT })).status).toBe(200);
}
