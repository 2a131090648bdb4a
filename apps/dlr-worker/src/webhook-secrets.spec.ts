import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { newWebhookSecret, secretKey } from '@signalbox/domain/webhooks/push-signature';
import { createLogger } from '@signalbox/runtime/logger';
import { Sealer } from '@signalbox/runtime/seal';
import { type TestRows, openRows } from '@signalbox/test/rows';
import { PushTargets } from './push-targets.ts';
import { resealWebhookSecrets } from './webhook-secrets.ts';

const SILENT = createLogger('test', 'silent');
const newKey = () => randomBytes(32).toString('base64');

test('a rotation of SECRETS_KEY seals secrets again, so that the old key can be removed', async () => {
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

  await resealWebhookSecrets(rows.db, new Sealer(after, before), SILENT);

  expect([await readable(new Sealer(before)), await readable(new Sealer(after))]).toEqual([false, true]);
});

test('a secret sealed with an unknown key is left unchanged', async () => {
  await using rows = await openRows();
  const sealed = new Sealer(newKey()).seal('secret');
  await storeWebhook(rows, sealed);

  await resealWebhookSecrets(rows.db, new Sealer(newKey(), newKey()), SILENT);

  expect(await rows.db.query('SELECT sealed_secret FROM webhook')).toEqual([{ sealed_secret: sealed }]);
});

test('a damaged secret is logged and stops no rotation', async () => {
  await using rows = await openRows();
  const [before, after] = [newKey(), newKey()];
  await storeWebhook(rows, damaged(new Sealer(before).seal(newWebhookSecret())));
  const accountId = await storeWebhook(rows, new Sealer(before).seal(newWebhookSecret()));
  const lines: object[] = [];
  const logger = createLogger('test', 'error', {
    write: (line) => void lines.push(JSON.parse(line) as object),
  });

  await resealWebhookSecrets(rows.db, new Sealer(after, before), logger);

  const [target] = (await new PushTargets(rows.db, new Sealer(after)).of([accountId])).get(accountId) ?? [];
  expect(target?.secrets).toHaveLength(1);
  expect(lines).toMatchObject([{ event: 'webhook.secret_unreadable' }]);
});

test('a damaged secret fails the pushes of no other webhook', async () => {
  await using rows = await openRows();
  const sealer = new Sealer(newKey());
  const hurt = await storeWebhook(rows, damaged(sealer.seal(newWebhookSecret())));
  const healthy = await storeWebhook(rows, sealer.seal(newWebhookSecret()));

  const targets = await new PushTargets(rows.db, sealer).of([hurt, healthy]);

  expect([targets.get(hurt)?.[0]?.secrets.length, targets.get(healthy)?.[0]?.secrets.length]).toEqual([0, 1]);
});

test('settings that are invalid fail the pushes of no other webhook', async () => {
  await using rows = await openRows();
  const sealer = new Sealer(newKey());
  const healthy = await storeWebhook(rows, sealer.seal(newWebhookSecret()));
  const broken = { filters: ['null', '5', '{"sender": 5}'], headers: ['{}'], old_secrets: ['null', '5'] };
  const hurt: string[] = [];
  for (const [column, value] of Object.entries(broken).flatMap(([name, values]) =>
    values.map((v) => [name, v]),
  )) {
    const accountId = await storeWebhook(rows, sealer.seal(newWebhookSecret()));
    await rows.db.query(`UPDATE webhook SET ${column} = $1 WHERE account_id = $2`, [value, accountId]);
    hurt.push(accountId);
  }

  const targets = await new PushTargets(rows.db, sealer).of([...hurt, healthy]);

  expect(hurt.map((id) => targets.get(id)?.[0]?.secrets.length)).toEqual(hurt.map(() => 0));
  expect(targets.get(healthy)?.[0]?.secrets).toHaveLength(1);
});

function damaged(sealed: Buffer): Buffer {
  return sealed.fill(0, 16, 20);
}

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
