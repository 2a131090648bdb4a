import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { TemplateContent } from '@signalbox/domain/templates/template';
import { type TestRows, openRows } from '@signalbox/test/rows';
import { findSendingNumbers } from '../chat/senders.ts';
import { findSendableTemplates } from './chat-templates.ts';
import { decideTemplates } from './reviews.ts';
import { deleteTemplate, editTemplate, insertTemplates } from './templates.ts';

const content = (text: string): TemplateContent => ({
  category: 'UTILITY',
  components: [{ type: 'BODY', text }],
  allowCategoryChange: true,
  codeExpirationMinutes: null,
});

interface Setup extends TestRows {
  accountId: string;
  chatAccountId: number;
  create: (language: string) => Promise<string>;
  /** The words and the language of what is sent. */
  find: (language?: string) => Promise<string | undefined>;
}

async function setup(): Promise<Setup> {
  const rows = await openRows();
  const accountId = randomUUIDv7();
  await rows.db.query(`INSERT INTO account (id, name) VALUES ($1, 'templates')`, [accountId]);
  const [{ id: chatAccountId }] = await rows.db.query(
    `INSERT INTO chat_account (account_id, name) VALUES ($1, 'shop') RETURNING id::float8`,
    [accountId],
  );
  await rows.db.query(
    `INSERT INTO chat_sender (msisdn, chat_account_id, account_id) VALUES ('15550100002', $1, $2)`,
    [chatAccountId, accountId],
  );
  return {
    ...rows,
    accountId,
    chatAccountId,
    async create(language) {
      const id = randomUUIDv7();
      await insertTemplates(
        rows.db,
        accountId,
        [{ id, chatAccountId, name: 'news', language, ...content('first') }],
        'key',
        new Date(),
      );
      return id;
    },
    async find(language) {
      const [found] = await findSendableTemplates(rows.db, [
        { accountId, chatAccountId, name: 'news', language },
      ]);
      return typeof found === 'object' ? `${found.language} ${found.components[0]?.text}` : found;
    },
  };
}

test('a template is found by its language, or without one the oldest sendable template', async () => {
  await using t = await setup();
  expect(await t.find()).toBeUndefined();
  const [hi, en, ta] = [await t.create('hi'), await t.create('en'), await t.create('ta')];
  expect([await t.find(), await t.find('hi'), await t.find('de')]).toEqual([
    'not_approved',
    'not_approved',
    undefined,
  ]);

  await decideTemplates(
    t.db,
    [ta, en].map((id) => ({ id, decision: 'approve' })),
    'reviewer',
  );
  expect([await t.find(), await t.find('ta'), await t.find('hi')]).toEqual([
    'en first',
    'ta first',
    'not_approved',
  ]);

  await decideTemplates(t.db, [{ id: hi, decision: 'approve' }], 'reviewer');
  expect(await t.find()).toBe('hi first');
  await deleteTemplate(t.db, t.accountId, hi, 'key');
  expect([await t.find(), await t.find('hi')]).toEqual(['en first', undefined]);
});

test('an edit is sent once it is approved, and the approved version until then', async () => {
  await using t = await setup();
  const id = await t.create('en');
  await decideTemplates(t.db, [{ id, decision: 'approve' }], 'reviewer');

  await editTemplate(
    t.db,
    t.accountId,
    { id, version: 1 },
    { ...content('second'), category: 'MARKETING' },
    'key',
  );
  expect(await t.find('en')).toBe('en first');
  expect(await findSendableTemplates(t.db, [{ ...t, name: 'news', language: 'en' }])).toMatchObject([
    { version: 1, category: 'UTILITY' },
  ]);

  await decideTemplates(t.db, [{ id, decision: 'approve' }], 'reviewer');
  expect(await t.find('en')).toBe('en second');
  await decideTemplates(t.db, [{ id, decision: 'pause' }], 'reviewer');
  expect(await t.find('en')).toBe('not_approved');
  await decideTemplates(t.db, [{ id, decision: 'resume' }], 'reviewer');
  expect(await t.find('en')).toBe('en second');
});

test.each([
  ['UTILITY', 'AUTHENTICATION'],
  ['AUTHENTICATION', 'UTILITY'],
] as const)('a %s template that becomes %s is filled as its version was made', async (category, changed) => {
  await using t = await setup();
  const id = await t.create('en');
  await t.db.query(`UPDATE template_version SET category = $2 WHERE template_id = $1`, [id, category]);
  await decideTemplates(t.db, [{ id, decision: 'approve', category: changed }], 'test');
  const { accountId, chatAccountId } = t;
  const name = { accountId, chatAccountId, name: 'news', language: 'en' };
  expect(await findSendableTemplates(t.db, [name])).toMatchObject([{ id, category }]);
});

test('a rejected edit disables its template, and a category changed in review is returned', async () => {
  await using t = await setup();
  const [edited, moved] = [await t.create('en'), await t.create('hi')];
  await decideTemplates(
    t.db,
    [
      { id: edited, decision: 'approve' },
      { id: moved, decision: 'approve', category: 'MARKETING' },
    ],
    'reviewer',
  );
  await editTemplate(t.db, t.accountId, { id: edited, version: 1 }, content('second'), 'key');

  await decideTemplates(t.db, [{ id: edited, decision: 'reject', reason: 'no' }], 'reviewer');

  expect(await t.find('en')).toBe('not_approved');
  expect(await findSendableTemplates(t.db, [{ ...t, name: 'news', language: 'hi' }])).toMatchObject([
    { category: 'MARKETING' },
  ]);
});

test('templates and numbers of other accounts are not found, and results keep their order', async () => {
  await using t = await setup();
  await decideTemplates(t.db, [{ id: await t.create('en'), decision: 'approve' }], 'reviewer');
  const [own, other] = [
    { ...t, name: 'news', language: 'en' },
    { ...t, name: 'news', language: 'en', accountId: randomUUIDv7() },
  ];

  const found = await findSendableTemplates(t.db, [
    other,
    { ...own, name: 'olds' },
    own,
    { ...own, chatAccountId: 1 },
    own,
  ]);
  expect(found.map((each) => typeof each)).toEqual([
    'undefined',
    'undefined',
    'object',
    'undefined',
    'object',
  ]);

  const numbers = [
    { ...other, msisdn: '15550100002' },
    { ...own, msisdn: '15550100002' },
    { ...own, msisdn: '15550100003' },
  ];
  const sending = { chatAccountId: t.chatAccountId, sessionWindow: 'off' };
  expect(await findSendingNumbers(t.db, numbers)).toEqual([undefined, sending, undefined]);
});
