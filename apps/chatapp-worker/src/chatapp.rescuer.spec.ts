import { randomUUIDv7 } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { insertTemplates } from '@signalbox/database/templates/templates';
import { Bell } from '@signalbox/runtime/bell';
import { createLogger } from '@signalbox/runtime/logger';
import { type TestRows, openRows } from '@signalbox/test/rows';
import { ChatappRescuer } from './chatapp.rescuer.ts';
import { TemplateReviewer } from './template.reviewer.ts';

let rows: TestRows;

beforeAll(async () => {
  rows = await openRows();
});
afterAll(async () => rows[Symbol.asyncDispose]());

/** A template that waits since so many seconds. */
async function storeTemplate(ageSeconds: number): Promise<string> {
  const { db } = rows;
  const [id, accountId] = [randomUUIDv7(), randomUUIDv7()];
  await db.query(`INSERT INTO account (id, name) VALUES ($1, 'x')`, [accountId]);
  const [chatAccount] = await db.query(
    `INSERT INTO chat_account (account_id, name) VALUES ($1, 'x') RETURNING id::integer`,
    [accountId],
  );
  const template = {
    id,
    chatAccountId: chatAccount.id as number,
    name: 'x',
    language: 'en',
    category: 'UTILITY' as const,
  };
  const components = [{ type: 'BODY', text: 'Your order has left our house.' }];
  const whole = { ...template, components, allowCategoryChange: false, codeExpirationMinutes: null };
  expect(
    await insertTemplates(db, accountId, [whole], 'test', new Date(Date.now() - ageSeconds * 1_000)),
  ).toEqual([]);
  return id;
}

test('a template whose bell was lost is rung for, and reviewed once however often it is rung for', async () => {
  const { db } = rows;
  const rung: string[][] = [];
  const bell = new Bell({ enqueue: async (ids) => rung.push(ids), maxBatch: 10, onLost: () => undefined });
  const rescuer = new ChatappRescuer(db, { getJobs: async () => [] }, bell, createLogger('test', 'silent'));
  const [lost] = [await storeTemplate(60), await storeTemplate(1)];

  await rescuer.rescue();
  await bell.close();
  expect(rung).toEqual([[lost]]);

  expect(await new TemplateReviewer(db, 'manual').review([lost])).toEqual({ decided: 0 });
  const reviewer = new TemplateReviewer(db, 'auto');
  const runs = await Promise.all([reviewer.review([lost]), reviewer.review([lost]), reviewer.review([lost])]);
  expect(runs.map(({ decided }) => decided).toSorted((a, b) => a - b)).toEqual([0, 0, 1]);
  expect(
    await db.query(`SELECT event FROM template_event WHERE template_id = $1 ORDER BY id`, [lost]),
  ).toEqual([{ event: 'created' }, { event: 'approved' }]);
});
