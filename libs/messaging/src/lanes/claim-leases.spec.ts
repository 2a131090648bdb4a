import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { insertSubmitBatch } from '@signalbox/database/gateways/submit-batches';
import { createLogger } from '@signalbox/runtime/logger';
import { accept } from '@signalbox/test/rows';
import { ACCEPTED, openSms } from '../../test/open-sms.ts';
import type { DutyContext } from '../maintenance/duty.ts';
import { Channel } from './channel.ts';
import { ClaimLeases } from './claim-leases.ts';
import { endAbandonedBatches } from './lane-duties.ts';

test('a batch that this process submits does not end, however late the database renews it', async () => {
  await using t = await openSms(ACCEPTED);
  const providers = new Map<unknown, unknown>([
    [Channel, t.channel],
    [ClaimLeases, t.leases],
  ]);
  const get = (token: unknown): unknown => providers.get(token);
  const context = { db: t.db, get, logger: createLogger('test', 'silent') } as unknown as DutyContext;
  const [id, { id: submissionId }] = [randomUUIDv7(), await accept(t.db)];
  const claim = { submissionId, n: 1, attempt: 1, isResent: false };
  await insertSubmitBatch(t.db, { id, gateway: 'fake', lane: 'TRANS' }, [claim], performance.now());
  await t.db.query(`UPDATE submit_batch SET alive_until = now() - interval '1 second'`);
  const batches = (): Promise<unknown[]> => t.db.query('SELECT FROM submit_batch');

  await t.leases.during(
    [],
    async () => {
      await endAbandonedBatches(context);
      expect(await batches()).toHaveLength(1);
    },
    { id, notedAt: performance.now() },
  );

  await endAbandonedBatches(context);
  expect(await batches()).toEqual([]);
});

test('a batch is renewed two seconds after its insert, and after each renewal, was sent', async () => {
  await using t = await openSms(ACCEPTED);
  const noted = { id: randomUUIDv7(), notedAt: -10_000 };
  await insertSubmitBatch(t.db, { id: noted.id, gateway: 'fake', lane: 'TRANS' }, [], performance.now());
  const isRenewedAt = async (now: number): Promise<boolean> => {
    await t.db.query(`UPDATE submit_batch SET alive_until = now()`);
    await t.leases.renew(now);
    return (await t.db.query('SELECT FROM submit_batch WHERE alive_until > now()')).length > 0;
  };
  const renewed: [now: number, boolean][] = [];

  const work = async (): Promise<void> => {
    for (const now of [-8_001, -8_000, -6_001, -5_500]) renewed.push([now, await isRenewedAt(now)]);
  };
  await t.leases.during([], work, noted);

  expect(renewed).toEqual([
    [-8_001, false],
    [-8_000, true],
    [-6_001, false],
    [-5_500, true],
  ]);
});
