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
  const [accountId, id] = [randomUUIDv7(), randomUUIDv7()];
  await rows.db.query(`INSERT INTO account (id, name) VALUES ($1, 'shop')`, [accountId]);
  const [{ id: chatAccountId }] = await rows.db.query(
    `INSERT INTO chat_account (account_id, name) VALUES ($1, 'shop') RETURNING id::float8 AS id`,
    [accountId],
  );
  await insertTemplates(
    rows.db,
    accountId,
    [{ id, chatAccountId, name: 'news', language: 'en', ...content('Hi') }],
    'test',
    new Date(),
  );
  await decideTemplates(rows.db, [{ id, decision: 'approve' }], 'test');
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
