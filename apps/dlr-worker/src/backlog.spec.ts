import { expect, test } from '@jest/globals';
import { startReceiver } from '@signalbox/test/receiver';
import { openBacklog } from '../test/open-backlog.ts';

test('an endpoint whose pushes cannot be claimed is logged, and the others are called', async () => {
  await using t = await openBacklog();
  await using receiver = await startReceiver();
  const [first, broken, last] = [
    await t.webhook(receiver.url),
    await t.webhook(receiver.url),
    await t.webhook(receiver.url),
  ];
  for (const webhookId of [first, broken, last]) await t.due(webhookId, 2);
  await failUpdatesOf(t.rows.db, broken);

  await t.backlog.pass();
  await receiver.until((received) => received.length === 4);
  await t.backlog.pass();

  expect(t.lines).toMatchObject([{ event: 'push.claim_failed', webhookId: broken }]);
  expect(await t.pushes(broken)).toEqual([{ status: 'WAITING', error: 'put_off', count: 2 }]);
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
