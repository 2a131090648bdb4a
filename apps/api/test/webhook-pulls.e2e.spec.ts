import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { MAX_STARTS } from '@signalbox/domain/limits';
import { type ApiUnderTest, expectFailure } from './api-under-test.ts';
import { WEBHOOKS, setUpEndpoint, startPushingApi } from './deliveries-under-test.ts';

interface Pulled {
  id: string;
  attempt: number;
  headers: Record<string, string>;
}

const lines: string[] = [];
let api: ApiUnderTest;
beforeAll(async () => {
  api = await startPushingApi((line) => lines.push(line));
});
afterAll(async () => api[Symbol.asyncDispose]());

test('a repeated result of a failed call counts once', async () => {
  await using t = await setup();
  const [call] = await t.pull();
  const failed = { id: call!.id, responseStatus: 500, durationMs: 5 };

  const answers = [await t.record(failed), await t.record(failed)];
  await t.makeDue();
  await t.pull();
  answers.push(...(await Promise.all([t.record(failed), t.record(failed)])));

  expect(answers[0]).toMatchObject({ retried: 1, ignored: 0 });
  expect(answers[1]).toMatchObject({ retried: 0, ignored: 1 });
  expect(answers.slice(2).toSorted((a, b) => a.ignored - b.ignored)).toMatchObject([
    { retried: 1, ignored: 0 },
    { retried: 0, ignored: 1 },
  ]);
  const [delivery] = await t.list(t.id);
  expect(delivery!.attempts).toMatchObject([{ responseStatus: 500 }, { responseStatus: 500 }]);
});

test('a success counts whenever it is recorded, and ends the delivery', async () => {
  await using t = await setup();
  const [call] = await t.pull();
  await t.record({ id: call!.id, responseStatus: null, durationMs: 5 });

  const late = { id: call!.id, responseStatus: 204, durationMs: 5 };

  expect(await t.record(late)).toMatchObject({ delivered: 1 });
  expect(await t.record(late)).toMatchObject({ delivered: 0, ignored: 1 });
});

test('a delivery without a result is due again, however often it was pulled', async () => {
  await using t = await setup();

  for (let pulls = 0; pulls < MAX_STARTS + 2; pulls += 1) {
    expect(await t.pull()).toMatchObject([{ attempt: 1 }]);
    await t.makeDue();
  }
});

test('a delivery that cannot be rendered fails, and delays no other', async () => {
  await using t = await setup();
  await t.db.query(`UPDATE webhook SET headers = '[{ "key": "X-Id", "value": null }]' WHERE id = $1`, [t.id]);

  expect(await t.pull()).toEqual([]);

  expect(await t.list(t.id)).toMatchObject([{ status: 'waiting', attempts: [{ error: 'unrenderable' }] }]);
});

test('pulls are refused while the secret is damaged, and log it once', async () => {
  await using t = await setup();
  await t.db.query(
    `UPDATE webhook SET sealed_secret = set_byte(sealed_secret, 40, get_byte(sealed_secret, 40) # 1) WHERE id = $1`,
    [t.id],
  );

  for (let pulls = 0; pulls < 3; pulls += 1)
    expectFailure(await t.call({ path: `/v1/webhooks/${t.id}/pull`, body: {} }), 409, 'secret_unreadable');
  expect(lines.filter((line) => line.includes('secret.unreadable'))).toHaveLength(1);

  await t.call({ path: `/v1/webhooks/${t.id}/rotate-secret` });
  expect(await t.pull()).toHaveLength(1);
});

test('a former secret that cannot be opened signs nothing, and stops no pull', async () => {
  await using t = await setup();
  await t.db.query(`UPDATE webhook SET old_secrets = $2 WHERE id = $1`, [
    t.id,
    JSON.stringify([{ sealed: 'AAAA', until: '2999-01-01T00:00:00.000Z' }]),
  ]);

  const [call] = await t.pull();

  expect(call!.headers['webhook-signature']).toMatch(/^v1,\S+$/);
});

test('a delivery waits as long as that of the status before it', async () => {
  await using t = await setup({ intermediate: true, schedule: [3_600] });
  const [sent] = await t.pull();
  await t.record({ id: sent!.id, responseStatus: 500, durationMs: 5 });

  await t.until(async () => {
    expect(await t.pull()).toEqual([]);
    const early: object[] = await t.db.query(
      `SELECT FROM push WHERE webhook_id = $1 AND next_attempt_at < now() + interval '1 minute'`,
      [t.id],
    );
    return early.length === 0;
  });
});

test('a delivery can be replayed once its claim has ended', async () => {
  await using t = await setup();
  const [call] = await t.pull();
  const replay = () => t.call({ path: `/v1/webhook-deliveries/${call!.id}/replay` });
  expect((await replay()).body.error.code).toBe('delivery_in_progress');

  await t.makeDue();

  expect((await replay()).status).toBe(200);
});

/** A webhook whose deliveries are pulled, with those of one message. */
async function setup(settings: { intermediate?: boolean; schedule?: number[] } = {}) {
  const t = await setUpEndpoint(api);
  const id = await t.createWebhook(settings);
  const post = async <D>(action: string, body: object): Promise<D> => {
    const answer = await t.call<D>({ path: `${WEBHOOKS}/${id}/${action}`, body });
    expect(answer.status).toBe(200);
    return answer.body.data;
  };
  await post('pull', {});
  await t.send(1);
  const count = settings.intermediate ? 2 : 1;
  await t.until(async () => (await t.list(id, 'status=waiting')).length === count);
  return {
    ...t,
    id,
    pull: () => post<Pulled[]>('pull', {}),
    record: (result: object) => post<{ ignored: number }>('results', { results: [result] }),
    makeDue: () => t.db.query('UPDATE push SET next_attempt_at = now() WHERE webhook_id = $1', [id]),
  };
}
