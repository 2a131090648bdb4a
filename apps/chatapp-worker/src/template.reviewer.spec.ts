import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { insertTemplates } from '@signalbox/database/templates/templates';
import { rescue } from '@signalbox/messaging/maintenance/lost-jobs';
import { runDuty } from '@signalbox/messaging/maintenance/run-duty';
import type { Queues } from '@signalbox/queues/open-queues';
import { createLogger } from '@signalbox/runtime/logger';
import { ChatappWorkerConfig } from './config.ts';
import { TemplateReviewer } from './template.reviewer.ts';

const SILENT = createLogger('test', 'silent');
const rows = await openSharedRows();

/** Stores a template that has been pending for `ageSeconds`. */
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

test('a template without a job is enqueued, and reviewed once however often its job runs', async () => {
  const { db } = rows;
  const enqueued: string[] = [];
  const queue = {
    name: 'template-review',
    admin: { isPaused: async () => false },
    oldestJobAt: async () => new Date(),
    enqueue: (ids: string[]) => void enqueued.push(...ids),
  };
  const queues = { get: () => queue } as unknown as Queues;
  const [lost] = [await storeTemplate(60), await storeTemplate(1)];

  const get = (): never => {
    throw new Error('this duty uses no providers');
  };

  await runDuty(rescue('reviews', get), { db, queues, logger: SILENT, get });
  expect(enqueued).toEqual([lost]);

  const reviewer = (review: 'auto' | 'manual') =>
    new TemplateReviewer(db, Object.assign(new ChatappWorkerConfig(), { TEMPLATE_REVIEW: review }), SILENT);
  expect(await reviewer('manual').review([lost])).toEqual({ decided: 0 });
  const runs = await Promise.all(Array.from({ length: 3 }, () => reviewer('auto').review([lost])));
  expect(runs.map(({ decided }) => decided).toSorted((a, b) => a - b)).toEqual([0, 0, 1]);
  expect(
    await db.query(`SELECT event FROM template_event WHERE template_id = $1 ORDER BY id`, [lost]),
  ).toEqual([{ event: 'created' }, { event: 'approved' }]);
});

test('a template whose content is invalid keeps no other from being reviewed', async () => {
  const { db } = rows;
  const [bad, good] = [await storeTemplate(1), await storeTemplate(1)];
  await db.query(`UPDATE template_version SET components = '[null]' WHERE template_id = $1`, [bad]);
  const lines: object[] = [];
  const logger = createLogger('test', 'error', {
    write: (line) => void lines.push(JSON.parse(line) as object),
  });
  const config = Object.assign(new ChatappWorkerConfig(), { TEMPLATE_REVIEW: 'auto' as const });

  expect(await new TemplateReviewer(db, config, logger).review([bad, good])).toEqual({ decided: 1 });

  const pending = await db.query(`SELECT id FROM template WHERE status = 'PENDING' AND id IN ($1, $2)`, [
    bad,
    good,
  ]);
  expect(pending).toEqual([{ id: bad }]);
  expect(lines).toMatchObject([{ event: 'template.unreadable', templateId: bad }]);
});
