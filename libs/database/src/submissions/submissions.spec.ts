import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { MIN_UUID } from '@signalbox/domain/id-time';
import { FAN_OUT_CHUNK, LEASE_SECONDS } from '@signalbox/domain/limits';
import { accept, newSubmission, openRows } from '@signalbox/test/rows';
import { sweepIdempotencyKeys } from './creations.ts';
import { recordSubmits } from '../messages/submits.ts';
import { findFirstCall } from './idempotency-keys.ts';
import { reclaim } from './reclaim.ts';
import { wipeAbandonedSecrets, wipeDispatched } from './sealed-texts.ts';
import { fanOut, insertSubmissions } from './submissions.ts';

test('a submission fans out into one message per recipient, in order', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db, { recipients: ['919800000001', '919800000002', '919800000001'] });

  const [chunk] = await fanOut(rows.db, [id], LEASE_SECONDS);

  expect(chunk).toMatchObject({
    id,
    from: 0,
    recipients: ['919800000001', '919800000002', '919800000001'],
    complete: true,
  });
  expect(await rows.db.query('SELECT n, recipient, status FROM message ORDER BY n')).toEqual([
    { n: 1, recipient: '919800000001', status: 'PENDING' },
    { n: 2, recipient: '919800000002', status: 'PENDING' },
    { n: 3, recipient: '919800000001', status: 'PENDING' },
  ]);
});

test('two runs of the same job fan a submission out once', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db);

  const runs = await Promise.all([
    fanOut(rows.db, [id], LEASE_SECONDS),
    fanOut(rows.db, [id], LEASE_SECONDS),
  ]);

  expect(runs.flat()).toHaveLength(1);
  expect(await rows.db.query('SELECT count(*)::int AS count FROM message')).toEqual([{ count: 1 }]);
});

test('a large submission goes chunk by chunk, and every recipient gets its number once', async () => {
  await using rows = await openRows();
  const recipients = Array.from({ length: FAN_OUT_CHUNK * 2 + 7 }, (_, i) => String(919800000000 + i));
  const { id } = await accept(rows.db, { recipients });

  const chunks = [];
  for (let run = 0; run < 4; run += 1) chunks.push(...(await fanOut(rows.db, [id], LEASE_SECONDS)));

  expect(chunks.map(({ from, complete }) => ({ from, complete }))).toEqual([
    { from: 0, complete: false },
    { from: FAN_OUT_CHUNK, complete: false },
    { from: FAN_OUT_CHUNK * 2, complete: true },
  ]);
  expect(chunks.flatMap((chunk) => chunk.recipients)).toEqual(recipients);
  const stored: { recipient: string }[] = await rows.db.query('SELECT recipient FROM message ORDER BY n');
  expect(stored.map((row) => row.recipient)).toEqual(recipients);
});

test('a large first batch on an empty database is recorded by key, without a nested loop', async () => {
  await using rows = await openRows();
  const recipients = Array.from({ length: FAN_OUT_CHUNK }, (_, i) => String(919800000000 + i));
  const submissions = Array.from({ length: 10 }, () => newSubmission({ recipients }));
  await insertSubmissions(rows.db, submissions);
  const chunks = await fanOut(
    rows.db,
    submissions.map(({ id }) => id),
    LEASE_SECONDS,
  );
  const submits = chunks.flatMap(({ id }) =>
    recipients.map((_, i) => ({
      submissionId: id,
      n: i + 1,
      result: 'sent' as const,
      gatewayMessageId: null,
      retryAfterMs: 0,
    })),
  );

  await recordSubmits(rows.db, 'simulator', submits);

  expect(await rows.db.query('SELECT status, count(*)::int AS count FROM message GROUP BY status')).toEqual([
    { status: 'SENT', count: 5_000 },
  ]);
});

test('a second call with a used idempotency key is not stored, and finds the first', async () => {
  await using rows = await openRows();
  const accountId = randomUUIDv7();
  const idempotency = { path: '/v1/sms', key: 'order-1', bodyHash: Buffer.from('a') };
  const first = newSubmission({ accountId, idempotency });
  const plain = newSubmission({ accountId });

  expect(await insertSubmissions(rows.db, [first, plain])).toEqual(['stored', 'stored']);
  expect(
    await insertSubmissions(rows.db, [newSubmission({ accountId, idempotency }), newSubmission()]),
  ).toEqual(['key_used', 'stored']);

  expect(await findFirstCall(rows.db, accountId, '/v1/sms', 'order-1')).toMatchObject({
    send: { id: first.id },
  });
  expect(await findFirstCall(rows.db, randomUUIDv7(), '/v1/sms', 'order-1')).toBeUndefined();
});

test('an idempotency key is free again after its 48 hours', async () => {
  await using rows = await openRows();
  const accountId = randomUUIDv7();
  const idempotency = { path: '/v1/sms', key: 'order-1', bodyHash: Buffer.from('a') };
  await accept(rows.db, { accountId, idempotency });
  await rows.db.query(`UPDATE idempotency_key SET created_at = now() - interval '49 hours'`);

  expect(await insertSubmissions(rows.db, [newSubmission({ accountId, idempotency })])).toEqual(['stored']);
});

test('idempotency keys that no longer answer are swept, and the others stay', async () => {
  await using rows = await openRows();
  const keyed = (key: string): Promise<unknown> =>
    accept(rows.db, { idempotency: { path: '/v1/sms', key, bodyHash: Buffer.from('a') } });
  await keyed('old');
  await rows.db.query(`UPDATE idempotency_key SET created_at = now() - interval '49 hours'`);
  await keyed('new');

  await sweepIdempotencyKeys(rows.db);

  expect(await rows.db.query('SELECT key FROM idempotency_key')).toEqual([{ key: 'new' }]);
});

test('a sealed text is wiped once nothing of its submission waits to be submitted', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db, {
    sealed: Buffer.from('secret'),
    recipients: ['919800000001', '919800000002'],
  });
  await fanOut(rows.db, [id], LEASE_SECONDS);
  const sent = { submissionId: id, result: 'sent' as const, gatewayMessageId: null, retryAfterMs: 0 };

  await recordSubmits(rows.db, 'simulator', [{ ...sent, n: 1 }]);
  await wipeDispatched(rows.db, [id]);
  expect(await rows.db.query('SELECT sealed IS NULL AS wiped FROM submission')).toEqual([{ wiped: false }]);

  await recordSubmits(rows.db, 'simulator', [{ ...sent, n: 2 }]);
  await wipeDispatched(rows.db, [id]);
  expect(await rows.db.query('SELECT sealed IS NULL AS wiped FROM submission')).toEqual([{ wiped: true }]);
});

test('a sealed text that a dead worker left is wiped unless its message is pending', async () => {
  await using rows = await openRows();
  const secret = { lane: 'OTP' as const, sealed: Buffer.from('x') };
  const [moved, pending, young] = [
    await accept(rows.db, secret),
    await accept(rows.db, secret),
    await accept(rows.db, secret),
  ];
  await accept(rows.db, secret);
  await fanOut(rows.db, [moved.id, pending.id, young.id], LEASE_SECONDS);
  await rows.db.query(
    `UPDATE submission SET fanned_out_at = now() - interval '61 seconds' WHERE id IN ($1, $2)`,
    [moved.id, pending.id],
  );
  await rows.db.query(`UPDATE message SET status = 'DELIVERED' WHERE submission_id <> $1`, [pending.id]);

  await wipeAbandonedSecrets(rows.db, MIN_UUID);

  expect(await rows.db.query('SELECT id FROM submission WHERE sealed IS NULL')).toEqual([{ id: moved.id }]);
});

test('a call examines 5,000 sealed texts, and the next one continues behind them', async () => {
  await using rows = await openRows();
  const secret = { lane: 'OTP' as const, sealed: Buffer.from('x') };
  const submissions = Array.from({ length: 5_001 }, () => newSubmission(secret));
  await insertSubmissions(rows.db, submissions);
  const left = submissions
    .map(({ id }) => id)
    .toSorted()
    .at(-1);
  await rows.db.query(`UPDATE submission SET fanned_out_at = now() - interval '61 seconds' WHERE id = $1`, [
    left,
  ]);
  const countWiped = async (): Promise<number> =>
    (await rows.db.query('SELECT FROM submission WHERE sealed IS NULL')).length;

  const { next } = await wipeAbandonedSecrets(rows.db, MIN_UUID);
  expect([next! < left!, await countWiped()]).toEqual([true, 0]);

  expect(await wipeAbandonedSecrets(rows.db, next!)).toEqual({ next: null });
  expect(await countWiped()).toBe(1);
});

test('a message is reclaimed only when its claim has expired, and is parked after ten starts', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db);
  await fanOut(rows.db, [id], LEASE_SECONDS);
  expect((await reclaim(rows.db, [id], LEASE_SECONDS)).messages).toEqual([]);

  const attempts = [];
  for (let start = 2; start <= 12; start += 1) {
    await rows.db.query(`UPDATE message SET claimed_until = now() - interval '1 second'`);
    attempts.push(
      ...(await reclaim(rows.db, [id], LEASE_SECONDS)).messages.map((message) => message.attempt),
    );
  }

  expect(attempts).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test('a waiting submission is not fanned out, even by a job that names it', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db, { waits: true, sendAt: new Date(Date.now() + 60_000) });

  expect(await fanOut(rows.db, [id], LEASE_SECONDS)).toEqual([]);
});

test('an expired submission ends message by message, each with its own report', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db, { recipients: ['919800000001', '919800000002'] });
  await rows.db.query(`UPDATE submission SET expires_at = now()`);

  const [chunk] = await fanOut(rows.db, [id], LEASE_SECONDS);

  expect(chunk).toMatchObject({ skipped: [1, 2], reportIds: [expect.any(String), expect.any(String)] });
  expect(await rows.db.query('SELECT status, err_code, moved_by, sent_at FROM message ORDER BY n')).toEqual(
    chunk?.reportIds?.map((reportId) => ({
      status: 'FAILED',
      err_code: '901',
      moved_by: [reportId],
      sent_at: null,
    })),
  );
  expect(
    await rows.db.query('SELECT id, n, status, err_code, settled_at FROM message_event ORDER BY n'),
  ).toEqual(
    chunk?.reportIds?.map((reportId, i) => ({
      id: reportId,
      n: i + 1,
      status: 'FAILED',
      err_code: '901',
      settled_at: null,
    })),
  );
});

test('a message that is reclaimed after its expiry ends, and the others of its batch do not', async () => {
  await using rows = await openRows();
  const [late, other] = [await accept(rows.db), await accept(rows.db)];
  await fanOut(rows.db, [late.id, other.id], LEASE_SECONDS);
  await rows.db.query(`UPDATE message SET claimed_until = now() - interval '1 second'`);
  await rows.db.query(`UPDATE submission SET expires_at = now() WHERE id = $1`, [late.id]);

  const { messages, reportIds } = await reclaim(rows.db, [late.id, other.id], LEASE_SECONDS);

  expect(messages.map(({ submissionId }) => submissionId)).toEqual([other.id]);
  expect(await rows.db.query('SELECT id, submission_id FROM message_event')).toEqual([
    { id: reportIds[0], submission_id: late.id },
  ]);
  expect(await rows.db.query('SELECT status FROM message WHERE submission_id = $1', [late.id])).toEqual([
    { status: 'FAILED' },
  ]);
});

test('a lane gives its messages a lifetime, counted from the time they are due', async () => {
  await using rows = await openRows();
  const sendAt = new Date(Date.now() + 86_400_000);
  await accept(rows.db, { lane: 'OTP' });
  await accept(rows.db, { lane: 'PROMO', sendAt, waits: true });

  expect(
    await rows.db.query(
      `SELECT lane, (extract(epoch FROM expires_at - due_at) / 60)::int AS minutes FROM submission ORDER BY lane`,
    ),
  ).toEqual([
    { lane: 'OTP', minutes: 15 },
    { lane: 'PROMO', minutes: 48 * 60 },
  ]);
});
