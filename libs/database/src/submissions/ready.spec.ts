import { expect, test } from '@jest/globals';
import { LEASE_SECONDS } from '@signalbox/domain/limits';
import { accept, makeBatchesDue, openRows } from '@signalbox/test/rows';
import { recordSubmits } from '../messages/submits.ts';
import { listLostMessages } from '../ops/rescue.ts';
import { countWaitingMessages } from './ready.ts';
import { fanOut } from './submissions.ts';

test('a message that its gateway does not take waits until one takes it', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db, { recipients: ['919800000001', '919800000002'] });
  await fanOut(rows.db, [id], LEASE_SECONDS);
  const submit = { submissionId: id, gatewayMessageId: null };
  const count = async () => (await countWaitingMessages(rows.db, 'sms')).map((row) => [row.lane, row.count]);
  expect(Object.fromEntries(await count())).toMatchObject({ TRANS: 0 });

  await recordSubmits(rows.db, 'smsc-1', [
    { ...submit, n: 1, result: 'throttled', retryAfterMs: 1_000 },
    { ...submit, n: 2, result: 'sent', retryAfterMs: 0 },
  ]);
  await makeBatchesDue(rows.db);
  await listLostMessages(rows.db, ['TRANS']);
  expect(await count()).toEqual([
    ['OTP', 0],
    ['TRANS', 1],
    ['PROMO', 0],
  ]);

  await recordSubmits(rows.db, 'smsc-1', [{ ...submit, n: 1, result: 'sent', retryAfterMs: 0 }]);
  expect(Object.fromEntries(await count())).toMatchObject({ TRANS: 0 });
});
