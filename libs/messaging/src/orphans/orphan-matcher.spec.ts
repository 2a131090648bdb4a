import { randomInt } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { listIdRules } from '@signalbox/database/gateways/id-rules';
import { insertMessageIds } from '@signalbox/database/gateways/message-ids';
import { countOrphans, listOrphans } from '@signalbox/database/gateways/orphans';
import { applyIdForm } from '@signalbox/domain/routing/id-forms';
import type { KnownId } from '@signalbox/domain/routing/orphan-match';
import type { SegmentReport } from '@signalbox/gateways/gateway-ids';
import type { OrphanReport } from '@signalbox/gateways/orphan-reports';
import { createLogger } from '@signalbox/runtime/logger';
import { newMessageId } from '@signalbox/test/rows';
import { OrphanBox } from './orphan-box.ts';
import { type KnownIds, OrphanMatcher } from './orphan-matcher.ts';

const rows = await openSharedRows();
beforeEach(() => rows.db.query(`TRUNCATE orphan_report, gateway_id_rule`));

/** The map of one gateway, in memory. */
class IdMap implements KnownIds {
  readonly rows = new Map<string, KnownId[]>();

  add(gatewayMessageId: string, messageId: string, recipient: string): void {
    const row = { gatewayMessageId, messageId, recipient };
    this.rows.set(gatewayMessageId, [...(this.rows.get(gatewayMessageId) ?? []), row]);
  }

  async find(_gateway: string, ids: string[]): Promise<KnownId[]> {
    return ids.flatMap((id) => this.rows.get(id) ?? []);
  }

  async findOpen(): Promise<KnownId[]> {
    return [];
  }

  async sample(_gateway: string, limit: number): Promise<string[]> {
    return [...this.rows.keys()].slice(-limit);
  }
}

function setup(report?: (reports: SegmentReport[]) => Promise<boolean | undefined>) {
  const [ids, reported]: [IdMap, string[]] = [new IdMap(), []];
  const take = async (_gateway: string, reports: SegmentReport[]): Promise<boolean[]> => {
    const isTaken = await report?.(reports);
    reported.push(...reports.map(({ gatewayMessageId }) => gatewayMessageId));
    return reports.map(() => isTaken ?? true);
  };
  const matcher = new OrphanMatcher(rows.db, ids, take, createLogger('test', 'silent'));
  const matchAll = async (): Promise<void> => {
    await rows.db.query(`UPDATE orphan_report SET next_try_at = now() WHERE next_try_at IS NOT NULL`);
    while ((await matcher.matchDue()) > 0);
  };
  return { ids, reported, matcher, matchAll, box: new OrphanBox(rows.db) };
}

function orphan(
  gatewayMessageId: string,
  recipient: string | null,
  given: Partial<OrphanReport> = {},
): OrphanReport {
  return {
    gatewayMessageId,
    recipient,
    status: 'DELIVERED',
    errCode: '000',
    gatewayCode: '000',
    description: 'DELIVRD',
    reportedAt: new Date(),
    ...given,
  };
}

/** Stores an id of the gateway, of a message to the first number. */
async function wake(gatewayMessageId: string): Promise<void> {
  await insertMessageIds(rows.db, [newMessageId(gatewayMessageId, { recipient: numberOf(1) })]);
}

const numberOf = (i: number): string => String(919_800_000_000 + i);
const orphans = async (): Promise<number> =>
  (await countOrphans(rows.db)).reduce((sum, { count }) => sum + count, 0);
const rule = async (): Promise<string | undefined> => (await listIdRules(rows.db))[0]?.form;

/** Spellings of the n-th id in the answer and in the report, and the rule that they lead to. */
const FORMS: [string, (n: number) => [answered: string, reported: string], string][] = [
  [
    'hexadecimal answers, decimal reports',
    (n) => [(0x1f_0000_0000 + n * 7_919).toString(16), String(0x1f_0000_0000 + n * 7_919)],
    'hex:10',
  ],
  [
    'padded upper-case hexadecimal',
    (n) => [(n * 65_537).toString(16).toUpperCase().padStart(8, '0'), String(n * 65_537)],
    'HEX:8',
  ],
  [
    'decimal answers, hexadecimal reports',
    (n) => [String(4_000_000_000 + n * 104_729), (4_000_000_000 + n * 104_729).toString(16)],
    'dec:10',
  ],
  ['zeros lost', (n) => [String(n * 31).padStart(22, '0'), String(n * 31)], 'padded:22'],
  [
    'zeros added',
    (n) => [`a${(n * 31).toString(36)}`, `a${(n * 31).toString(36)}`.padStart(12, '0')],
    'unpadded',
  ],
  ['another case', (n) => [`m${n.toString(36)}z`.toUpperCase(), `m${n.toString(36)}z`], 'upper'],
  [
    'dashes lost',
    (n) => [
      `0197abcd-0000-7000-8000-${n.toString(16).padStart(12, '0')}`,
      `0197abcd000070008000${n.toString(16).padStart(12, '0')}`,
    ],
    'dashed',
  ],
  ['a prefix', (n) => [String(10_000_019 + n * 3), `SMSC1-${10_000_019 + n * 3}`], 'without:SMSC1-'],
];

test.each(FORMS)('1,000 reports with %s converge to one rule and no orphans', async (_, spell, form) => {
  const t = setup();
  const pairs = Array.from({ length: 1_000 }, (_n, i) => [...spell(i + 1), numberOf(i)] as const);
  for (const [i, [answered, , recipient]] of pairs.entries()) t.ids.add(answered, `message:${i}`, recipient);
  await t.box.keep(
    'smsc-1',
    pairs.map(([, reported, recipient]) => orphan(reported, recipient)),
  );

  await t.matchAll();

  expect(await orphans()).toBe(0);
  expect(t.reported.toSorted()).toEqual(pairs.map(([answered]) => answered).toSorted());
  expect(await rule()).toBe(form);
  for (const [answered, reported] of pairs) expect(applyIdForm(form, reported)).toBe(answered);
});

test('an early report waits, and is matched once its id becomes known', async () => {
  const t = setup();
  await t.box.keep('smsc-1', [orphan('7', numberOf(1))]);
  await t.matchAll();
  expect(await orphans()).toBe(1);

  t.ids.add('7', 'message:1', numberOf(1));
  await wake('7');
  await t.matcher.matchDue();

  expect([await orphans(), t.reported]).toEqual([0, ['7']]);
});

test('the rule of the gateway says which id wakes a report', async () => {
  const t = setup();
  await rows.db.query(`INSERT INTO gateway_id_rule VALUES ('smsc-1', 'hex:0', 20, now())`);
  await t.box.keep('smsc-1', [orphan('255', numberOf(1))]);

  await rows.db.query(`UPDATE orphan_report SET next_try_at = NULL`);

  await wake('ff');

  expect(await rows.db.query(`SELECT 1 FROM orphan_report WHERE next_try_at IS NOT NULL`)).toHaveLength(1);
});

test('a report that could not be stored stays in the box, and delays no other gateway', async () => {
  let isDown = true;
  const t = setup(async (reports) => {
    if (isDown && reports[0]?.gatewayMessageId === '1') throw new Error('the database is away');
    return true;
  });
  t.ids.add('1', 'message:1', numberOf(1));
  t.ids.add('2', 'message:2', numberOf(2));
  await t.box.keep('smsc-1', [orphan('1', numberOf(1))]);
  await t.box.keep('smsc-2', [orphan('2', numberOf(2))]);

  await expect(t.matchAll()).rejects.toThrow('away');
  expect([await orphans(), t.reported]).toEqual([1, ['2']]);

  isDown = false;
  await t.matchAll();
  expect([await orphans(), t.reported]).toEqual([0, ['2', '1']]);
});

test('a report of another recipient is not matched by any form', async () => {
  const t = setup();
  t.ids.add('ff', 'message:1', numberOf(1));
  await t.box.keep('smsc-1', [orphan('255', numberOf(2)), orphan('FF', numberOf(3)), orphan('9', null)]);

  await t.matchAll();

  expect(await orphans()).toBe(3);
});

test('equal reports of an id that messages to one recipient share are each reported', async () => {
  const t = setup();
  for (const message of ['message:1', 'message:2']) t.ids.add('', message, numberOf(1));
  await t.box.keep('smsc-1', [orphan('', numberOf(1)), orphan('', numberOf(1))]);

  await t.matchAll();

  expect([await orphans(), t.reported]).toEqual([0, ['', '']]);
});

test('a report that no segment waits for stays in the box', async () => {
  const t = setup(async () => false);
  t.ids.add('1', 'message:1', numberOf(1));
  await t.box.keep('smsc-1', [orphan('1', numberOf(1))]);

  await t.matchAll();

  expect(await orphans()).toBe(1);
});

test('an id that no index could hold is kept as far as the ids of answers', async () => {
  const { box } = setup();
  const id = Array.from({ length: 4_096 }, () => String.fromCharCode(0x4e00 + randomInt(20_000))).join('');

  await box.keep('smsc-1', [orphan(id, null), orphan('7', null)]);

  const kept = await listOrphans(rows.db, {}, 10);
  expect(kept.map(({ gatewayMessageId }) => gatewayMessageId).toSorted()).toEqual(['7', id.slice(0, 255)]);
});
