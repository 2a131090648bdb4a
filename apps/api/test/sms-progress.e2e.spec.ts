import { beforeEach, expect, test } from '@jest/globals';
import { LEASE_SECONDS } from '@signalbox/domain/limits';
import { recordSubmits } from '@signalbox/database/messages/submits';
import { fanOut, makeDueReady } from '@signalbox/database/submissions/submissions';
import { type Answer, GOOD_SMS, expectFailure, sameForAll, startSharedApi } from './api-under-test.ts';

interface Progress {
  statuses: Record<string, number>;
  cancelled: number;
  cancelledAt: string | null;
  sendAt: string | null;
  expiresAt: string;
}

const t = await startSharedApi();
beforeEach(() => t.db.query('TRUNCATE submission, message, message_event'));

test('a send is counted by status as soon as it is accepted', async () => {
  const id = await send({ to: numbers(3), ratePerSecond: 7 });
  expect(await progress(id)).toMatchObject({
    totalCount: 3,
    ratePerSecond: 7,
    statuses: { Pending: 3, Sent: 0, Failed: 0 },
  });

  await t.db.query('UPDATE submission SET waits = false, rate_per_second = NULL');
  await fanOut(t.db, [id], LEASE_SECONDS);
  await recordSubmits(t.db, 'simulator', [
    { submissionId: id, n: 2, result: 'sent', gatewayMessageId: null, retryAfterMs: 0 },
  ]);

  expect(await progress(id)).toMatchObject({
    statuses: { Pending: 2, Sent: 1, Delivered: 0, Read: 0, Failed: 0 },
    held: 0,
    cancelled: 0,
  });
});

test('cancelling fails all pending messages, and a repeat returns the same', async () => {
  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  const id = await send({ to: numbers(600), sendAt });

  const first = await cancel(id);
  expect(first.body).toMatchObject({ message: '600 messages were cancelled.', error: null });
  expect(first.body.data).toMatchObject({ sendAt, cancelled: 600, statuses: { Pending: 0, Failed: 600 } });

  await makeDueReady(t.db, 'sms');
  await fanOut(t.db, [id], LEASE_SECONDS);
  await fanOut(t.db, [id], LEASE_SECONDS);

  expect((await cancel(id)).body).toEqual(first.body);
  expect(
    await t.db.query('SELECT status, err_code, count(*)::integer AS count FROM message GROUP BY 1, 2'),
  ).toEqual([{ status: 'FAILED', err_code: '902', count: 600 }]);
});

test('cancelling leaves claimed messages alone', async () => {
  const id = await send({ to: numbers(502) });
  await fanOut(t.db, [id], LEASE_SECONDS);

  expect((await cancel(id)).body.data).toMatchObject({ cancelled: 2, statuses: { Pending: 500, Failed: 2 } });
});

test('a finished send has nothing to cancel', async () => {
  const id = await send({});
  await fanOut(t.db, [id], LEASE_SECONDS);
  await recordSubmits(t.db, 'simulator', [
    { submissionId: id, n: 1, result: 'sent', gatewayMessageId: null, retryAfterMs: 0 },
  ]);

  expect((await cancel(id)).body.data).toMatchObject({
    cancelled: 0,
    cancelledAt: null,
    statuses: { Sent: 1 },
  });
});

test("another account's send is neither readable nor cancellable", async () => {
  const id = await send({ sendAt: new Date(Date.now() + 3_600_000).toISOString() });
  const apikey = await t.addKey('Another');
  const absent = '019e6f0c-5a53-7d0c-8a4e-6f1f0a6d2b11';

  for (const call of [
    { method: 'GET', path: '/v1/sms/ID' },
    { method: 'POST', path: '/v1/sms/ID/cancel' },
  ]) {
    const ask = (name: string) =>
      t.call({ ...call, path: call.path.replace('ID', name), headers: { apikey } });
    const answers = [await ask(id), await ask(absent), await ask('nothing')];
    for (const answer of answers) expectFailure(answer, 404, 'message_not_found');
    expect(new Set(answers.map(sameForAll)).size).toBe(1);
    const ofMessage = await ask(`${id}:1`);
    expectFailure(ofMessage, 404, 'message_not_found');
    expect(ofMessage.body.error.message).toContain(`has no number: use ${id}.`);
  }
  expect(await progress(id)).toMatchObject({ cancelledAt: null });
});

const numbers = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => String(919800000100 + i));

async function send(fields: object): Promise<string> {
  const { status, body } = await t.call({ body: { ...GOOD_SMS, ...fields } });
  expect(status).toBe(200);
  return body.id;
}

async function progress(id: string): Promise<Progress> {
  return (await t.call<Progress>({ method: 'GET', path: `/v1/sms/${id}` })).body.data;
}

function cancel(id: string): Promise<Answer<Progress>> {
  return t.call<Progress>({ path: `/v1/sms/${id}/cancel` });
}
