import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { newWebhookSecret, secretKey } from '@signalbox/domain/webhooks/push-signature';
import { Sealer } from '@signalbox/runtime/seal';
import { type TestRows, openRows } from '@signalbox/test/rows';
import { PushTargets } from './push-targets.ts';
import { resealWebhookSecrets } from './webhook-secrets.ts';

const newKey = () => randomBytes(32).toString('base64');

test('after SECRETS_KEY was rotated secrets are sealed anew, and the old key is needed no longer', async () => {
  await using rows = await openRows();
  const [before, after] = [newKey(), newKey()];
  const secret = newWebhookSecret();
  const accountId = await storeWebhook(rows, new Sealer(before).seal(secret));
  const readable = async (sealer: Sealer): Promise<boolean> => {
    const [target] = (await new PushTargets(rows.db, sealer).of([accountId])).get(accountId) ?? [];
    return target?.secrets[0]?.equals(secretKey(secret)) ?? false;
  };
  expect([
    await readable(new Sealer(before)),
    await readable(new Sealer(after, before)),
    await readable(new Sealer(after)),
  ]).toEqual([true, true, false]);

  await resealWebhookSecrets(rows.db, new Sealer(after, before));

  expect([await readable(new Sealer(before)), await readable(new Sealer(after))]).toEqual([false, true]);
});

test('what no known key opens is left as it is', async () => {
  await using rows = await openRows();
  const sealed = new Sealer(newKey()).seal('secret');
  await storeWebhook(rows, sealed);

  await resealWebhookSecrets(rows.db, new Sealer(newKey(), newKey()));

  expect(await rows.db.query('SELECT sealed_secret FROM webhook')).toEqual([{ sealed_secret: sealed }]);
});

async function storeWebhook({ db }: TestRows, sealed: Buffer): Promise<string> {
  const [account]: { id: string }[] = await db.query(
    `INSERT INTO account (id, name) VALUES (uuidv7(), 'a') RETURNING id`,
  );
  await db.query(
    `INSERT INTO webhook (id, account_id, name, channel, provider, method, endpoint, headers, fields, max_in_flight, sealed_secret)
     VALUES (uuidv7(), $1, 'w', 'sms', 'any', 'POST', 'https://example.com/', '[]', '{}', 4, $2)`,
    [account?.id, sealed],
  );
  return account?.id ?? '';
}
