import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { insertSubmitBatch } from '@signalbox/database/gateways/submit-batches';
import { createLogger } from '@signalbox/runtime/logger';
import { accept } from '@signalbox/test/rows';
import { ACCEPTED, openSms } from '../../test/open-sms.ts';
import { Gateways } from '../gateways/gateways.ts';
import type { DutyContext } from '../maintenance/duty.ts';
import { Channel } from './channel.ts';
import { ClaimLeases } from './claim-leases.ts';
import { endAbandonedBatches } from './lane-duties.ts';

test('a batch that this process submits does not end, however late the database renews it', async () => {
  await using t = await openSms(ACCEPTED);
  const providers = new Map<unknown, unknown>([
    [Channel, t.channel],
    [Gateways, { hasRows: true }],
    [ClaimLeases, t.leases],
  ]);
  const get = (token: unknown): unknown => providers.get(token);
  const context = { db: t.db, get, logger: createLogger('test', 'silent') } as unknown as DutyContext;
  const [id, { id: submissionId }] = [randomUUIDv7(), await accept(t.db)];
  const claim = { submissionId, n: 1, attempt: 1, isResent: false };
  await insertSubmitBatch(t.db, { id, gateway: 'fake', lane: 'TRANS' }, [claim]);
  await t.db.query(`UPDATE submit_batch SET alive_until = now() - interval '1 second'`);
  const batches = (): Promise<unknown[]> => t.db.query('SELECT FROM submit_batch');

  await t.leases.during(
    [],
    async () => {
      await endAbandonedBatches(context);
      expect(await batches()).toHaveLength(1);
    },
    id,
  );

  await endAbandonedBatches(context);
  expect(await batches()).toEqual([]);
});
