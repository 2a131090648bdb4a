import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { fanOut } from '@signalbox/database/submissions/submissions';
import { accept } from '@signalbox/test/rows';
import { startSharedApi } from './api-under-test.ts';
import { PEPPER, storeVerification, tryCode } from './verify-under-test.ts';

const t = await startSharedApi({ env: { OTP_PEPPER: PEPPER } });

interface Shown {
  attemptsRemaining: number;
  messages: object[];
}

const show = async (verifyId: string): Promise<Shown> =>
  (await t.call<Shown>({ method: 'GET', path: `/v1/verify/${verifyId}` })).body.data;

test('an unconfirmed message of a code is shown as pending', async () => {
  const { id, accountId } = await storeVerification(t.db);
  const { id: submissionId } = await accept(t.db, { id: randomUUIDv7(), accountId, lane: 'OTP' });
  await fanOut(t.db, [submissionId], 60);
  await t.db.query('UPDATE verification SET submission_id = $2 WHERE id = $1', [id, submissionId]);
  await t.db.query(`UPDATE message SET status = 'SENT', unconfirmed_at = now() WHERE submission_id = $1`, [
    submissionId,
  ]);

  expect((await show(id)).messages).toEqual([
    {
      messageId: `${submissionId}:1`,
      channel: 'sms',
      status: 'Pending',
      unconfirmed: true,
      errCode: null,
    },
  ]);
});

test('the attempts left are at most those that its number has left for the day', async () => {
  const { id, recipient } = await storeVerification(t.db, { recipient: '919800000101' });
  await t.db.query(
    `UPDATE verification_number SET wrong_at = array_fill(now() - interval '1 hour', ARRAY[18]) WHERE recipient = $1`,
    [recipient],
  );

  const tried = await tryCode(t, id, '000000');

  expect(tried.body.error).toMatchObject({ attemptsRemaining: 1 });
  expect((await show(id)).attemptsRemaining).toBe(1);
});

test('the attempts of a test number are not limited by its day', async () => {
  const { id, recipient } = await storeVerification(t.db, { recipient: '919800000102' });
  await t.db.query('UPDATE verification SET is_test = true WHERE id = $1', [id]);
  await t.db.query(
    `UPDATE verification_number SET wrong_at = array_fill(now(), ARRAY[20]) WHERE recipient = $1`,
    [recipient],
  );

  expect((await show(id)).attemptsRemaining).toBe(5);
});
