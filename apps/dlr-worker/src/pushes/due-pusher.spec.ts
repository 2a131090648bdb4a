import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { setHostClock } from '@signalbox/test/clocks';
import { startReceiver } from '@signalbox/test/receiver';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { openPushing } from '../../test/open-pushing.ts';

test('an endpoint whose pushes cannot be claimed is logged, and the others are called', async () => {
  await using t = await openPushing();
  await using receiver = await startReceiver();
  const [first, broken, last] = [
    await t.webhook(receiver.url),
    await t.webhook(receiver.url),
    await t.webhook(receiver.url),
  ];
  for (const webhookId of [first, broken, last]) await t.due(webhookId, 2);
  await failUpdatesOf(t.rows.db, broken);

  await t.duePusher.pass();
  await receiver.until((received) => received.length === 4);
  await t.duePusher.pass();

  expect(t.lines).toMatchObject([{ event: 'push.claim_failed', webhookId: broken }]);
  expect(await t.pushes(broken)).toEqual([{ status: 'WAITING', error: 'put_off', count: 2 }]);
});

test('an endpoint is skipped for 30 s, also when the clock of the host is set back', async () => {
  await using t = await openPushing();
  const webhookId = await t.webhook('http://127.0.0.1:9');
  await t.due(webhookId, 1);
  await failUpdatesOf(t.rows.db, webhookId);
  await t.duePusher.pass();

  using _ = setHostClock(-3_600_000, 31_000);
  await t.duePusher.pass();

  const failure = { event: 'push.claim_failed', webhookId };
  expect(t.lines).toMatchObject([failure, failure]);
});

test('the pusher closes although its last pass fails', async () => {
  await using t = await openPushing();
  await t.rows.db.query('ALTER TABLE endpoint RENAME TO lost');

  const pass = t.duePusher.pass().catch(() => 'failed');
  await t.duePusher.close();

  expect(await pass).toBe('failed');
  await t.rows.db.query('ALTER TABLE lost RENAME TO endpoint');
});

test.each([`headers = 'null'`, `headers = '5'`, `batch = 'null'`, `batch = '5'`, `filters = 'null'`])(
  'a webhook with batches and with %s keeps no other from its pushes',
  async (planted) => {
    await using t = await openPushing();
    await using receiver = await startReceiver();
    const batch = { max: 10, waitMs: 0 };
    const damaged = await t.webhook(receiver.url, { batch });
    const healthy = await t.webhook(receiver.url);
    await t.rows.db.query(`UPDATE webhook SET ${planted} WHERE id = $1`, [damaged]);
    await t.due(damaged, 1);
    await t.due(healthy, 1);

    await t.duePusher.pass();

    await waitFor(async () => (await t.pushes(healthy))[0]?.status === 'DELIVERED');
    expect(await t.pushes(healthy)).toHaveLength(1);
  },
);

test('webhooks of one account whose calls hang leave slots to another account', async () => {
  await using t = await openPushing();
  await using tarpit = await startReceiver(() => undefined);
  await using healthy = await startReceiver();
  const accountId = randomUUIDv7();
  for (let i = 0; i < 10; i += 1)
    await t.due(await t.webhook(`${tarpit.url}/${i}`, { accountId, maxInFlight: 256 }), 256);
  await t.duePusher.pass();
  await tarpit.until((received) => received.length > 0);

  const webhookId = await t.webhook(healthy.url);
  await t.due(webhookId, 3);
  await t.duePusher.pass();

  await healthy.until((received) => received.length === 3, 10_000); // before a hanging call ends
  expect(healthy.received).toHaveLength(3);
});

/** Makes each update of a push of this webhook fail, as a row does that holds a value out of range. */
async function failUpdatesOf(
  db: { query: (statement: string) => Promise<unknown> },
  webhookId: string,
): Promise<void> {
  await db.query(
    `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
     $$ BEGIN RAISE EXCEPTION 'out of range' USING ERRCODE = '22003'; END $$`,
  );
  await db.query(
    `CREATE TRIGGER fail BEFORE UPDATE ON push FOR EACH ROW WHEN (OLD.webhook_id = '${webhookId}') EXECUTE FUNCTION fail()`,
  );
}
