import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { decideTemplates } from '@signalbox/database/templates/reviews';
import { editTemplate, insertTemplates } from '@signalbox/database/templates/templates';
import type { TemplateContent } from '@signalbox/domain/templates/template';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { openRows } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { ChatLookups, type ReadyTemplate } from './chat-lookups.ts';

const content = (text: string): TemplateContent => ({
  category: 'UTILITY',
  components: [{ type: 'BODY', text }],
  allowCategoryChange: false,
  codeExpirationMinutes: null,
});

test('concurrent lookups share a statement, and a new version is found within a second', async () => {
  await using rows = await openRows();
  const { accountId, chatAccountId, id } = await addTemplate(rows.db, 'news');
  let statements = 0;
  const query = (sql: string, values: unknown[]): Promise<unknown> => {
    statements += 1;
    return rows.db.query(sql, values);
  };
  const lookups = new ChatLookups({ query } as EntityManager);
  const find = async (language?: string) =>
    (await lookups.findTemplate({ accountId, chatAccountId, name: 'news', language })) as ReadyTemplate;

  const found = await Promise.all([find(), find('en'), find(), find('en')]);

  expect([statements, new Set(found.map(({ compiled }) => compiled)).size]).toEqual([1, 1]);
  await editTemplate(rows.db, accountId, { id, version: 1 }, content('Hello {{1}}'), 'test');
  await decideTemplates(rows.db, [{ id, decision: 'approve' }], 'test');
  await waitFor(async () => (await find()).version === 2, {
    otherwise: 'the new version was not found',
  });
  expect((await find()).compiled.paramCount).toBe(1);
});

test('a template whose stored version is damaged fails no other send', async () => {
  await using rows = await openRows();
  const [good, bad] = [await addTemplate(rows.db, 'good'), await addTemplate(rows.db, 'bad')];
  await rows.db.query(`UPDATE template_version SET components = '[null]' WHERE template_id = $1`, [bad.id]);
  const lookups = new ChatLookups(rows.db);

  const find = ({ accountId, chatAccountId }: typeof good, name: string) =>
    lookups.findTemplate({ accountId, chatAccountId, name, language: undefined });

  const [, ...found] = await Promise.all([find(good, 'none'), find(bad, 'bad'), find(good, 'good')]);

  expect(found).toMatchObject([undefined, { id: good.id }]);
});

/** Stores an approved template in a new account. */
async function addTemplate(db: EntityManager, name: string) {
  const [accountId, id] = [randomUUIDv7(), randomUUIDv7()];
  await db.query(`INSERT INTO account (id, name) VALUES ($1, 'shop')`, [accountId]);
  const [{ id: chatAccountId }] = await db.query(
    `INSERT INTO chat_account (account_id, name) VALUES ($1, 'shop') RETURNING id::float8 AS id`,
    [accountId],
  );
  await insertTemplates(
    db,
    accountId,
    [{ id, chatAccountId, name, language: 'en', ...content('Hi') }],
    'test',
    new Date(),
  );
  await decideTemplates(db, [{ id, decision: 'approve' }], 'test');
  return { accountId, chatAccountId: chatAccountId as number, id };
}
