import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { webhookRow } from '@signalbox/domain/sealed-rows';
import { newWebhookSecret, secretKey } from '@signalbox/domain/webhooks/push-signature';
import { createLogger } from '@signalbox/runtime/logger';
import { type SealedRow, Sealer } from '@signalbox/runtime/seal';
import { type TestRows, openRows } from '@signalbox/test/rows';
import { PushTargets } from './pushes/push-targets.ts';
import { reseal } from './reseal.ts';

const SILENT = createLogger('test', 'silent');
const newKey = () => randomBytes(32).toString('base64');

test('a rotation of SECRETS_KEY seals secrets again, so that the old key can be removed', async () => {
  await using rows = await openRows();
  const [before, after] = [newKey(), newKey()];
  const secret = newWebhookSecret();
  const accountId = await storeWebhook(rows, (row) => new Sealer(before).seal(secret, row));
  const readable = async (sealer: Sealer): Promise<boolean> => {
    const [target] = (await new PushTargets(rows.db, sealer).of([accountId])).get(accountId) ?? [];
    return target?.secrets[0]?.equals(secretKey(secret)) ?? false;
  };
  expect([
    await readable(new Sealer(before)),
    await readable(new Sealer(after, before)),
    await readable(new Sealer(after)),
  ]).toEqual([true, true, false]);

  await reseal(rows.db, new Sealer(after, before), SILENT);

  expect([await readable(new Sealer(before)), await readable(new Sealer(after))]).toEqual([false, true]);
});

test('a secret sealed with an unknown key is left unchanged', async () => {
  await using rows = await openRows();
  await storeWebhook(rows, (row) => new Sealer(newKey()).seal('secret', row));
  const [stored] = await rows.db.query('SELECT sealed_secret FROM webhook');

  await reseal(rows.db, new Sealer(newKey(), newKey()), SILENT);

  expect(await rows.db.query('SELECT sealed_secret FROM webhook')).toEqual([stored]);
});

test('a damaged secret is logged and stops no rotation', async () => {
  await using rows = await openRows();
  const [before, after] = [newKey(), newKey()];
  await storeWebhook(rows, (row) => damaged(new Sealer(before).seal(newWebhookSecret(), row)));
  const accountId = await storeWebhook(rows, (row) => new Sealer(before).seal(newWebhookSecret(), row));
  const lines: object[] = [];
  const logger = createLogger('test', 'error', {
    write: (line) => void lines.push(JSON.parse(line) as object),
  });

  await reseal(rows.db, new Sealer(after, before), logger);

  const [target] = (await new PushTargets(rows.db, new Sealer(after)).of([accountId])).get(accountId) ?? [];
  expect(target?.secrets).toHaveLength(1);
  expect(lines).toMatchObject([{ event: 'secret.unreadable' }]);
});

test('a damaged secret fails the pushes of no other webhook', async () => {
  await using rows = await openRows();
  const sealer = new Sealer(newKey());
  const hurt = await storeWebhook(rows, (row) => damaged(sealer.seal(newWebhookSecret(), row)));
  const healthy = await storeWebhook(rows, (row) => sealer.seal(newWebhookSecret(), row));

  const targets = await new PushTargets(rows.db, sealer).of([hurt, healthy]);

  expect([targets.get(hurt)?.[0]?.secrets.length, targets.get(healthy)?.[0]?.secrets.length]).toEqual([0, 1]);
});

test('a secret of another webhook does not open', async () => {
  await using rows = await openRows();
  const sealer = new Sealer(newKey());
  const accountIds = [0, 1].map(() => storeWebhook(rows, (row) => sealer.seal(newWebhookSecret(), row)));
  const [robbed, robber] = await Promise.all(accountIds);
  const targets = new PushTargets(rows.db, sealer);
  expect((await targets.of([robbed!])).get(robbed!)?.[0]?.secrets).toHaveLength(1);

  await rows.db.query(
    `UPDATE webhook SET sealed_secret = (SELECT sealed_secret FROM webhook WHERE account_id = $1)
      WHERE account_id = $2`,
    [robbed, robber],
  );

  expect((await targets.of([robber!])).get(robber!)?.[0]?.secrets).toEqual([]);
});

test('a secret that an earlier version sealed is bound to its webhook', async () => {
  await using rows = await openRows();
  const sealer = new Sealer(Buffer.alloc(32, 7).toString('base64'));
  const earlier = Buffer.from('S7BvjgABAgMEBQYHCAkKC9jjF9G32fIJUyEfr-TPLxNr5IoCeH0', 'base64url');
  await storeWebhook(rows, () => earlier);

  await reseal(rows.db, sealer, SILENT);

  const [stored] = await rows.db.query('SELECT id, account_id, sealed_secret FROM webhook');
  expect(stored.sealed_secret.subarray(0, 8)).toEqual(sealer.prefix);
  expect(sealer.open(stored.sealed_secret, webhookRow(stored.account_id, stored.id))).toBe('secret');
});

test('settings that are invalid fail the pushes of no other webhook', async () => {
  await using rows = await openRows();
  const sealer = new Sealer(newKey());
  const healthy = await storeWebhook(rows, (row) => sealer.seal(newWebhookSecret(), row));
  const broken = { filters: ['null', '5', '{"sender": 5}'], headers: ['{}'], old_secrets: ['null', '5'] };
  const hurt: string[] = [];
  for (const [column, value] of Object.entries(broken).flatMap(([name, values]) =>
    values.map((v) => [name, v]),
  )) {
    const accountId = await storeWebhook(rows, (row) => sealer.seal(newWebhookSecret(), row));
    await rows.db.query(`UPDATE webhook SET ${column} = $1 WHERE account_id = $2`, [value, accountId]);
    hurt.push(accountId);
  }

  const targets = await new PushTargets(rows.db, sealer).of([...hurt, healthy]);

  expect(hurt.map((id) => targets.get(id)?.[0]?.secrets.length)).toEqual(hurt.map(() => 0));
  expect(targets.get(healthy)?.[0]?.secrets).toHaveLength(1);
});

test('a webhook stored before a message was accepted is not missed', async () => {
  await using rows = await openRows();
  const sealer = new Sealer(newKey());
  const accountId = await storeWebhook(rows, (row) => sealer.seal(newWebhookSecret(), row));
  const targets = new PushTargets(rows.db, sealer);
  const count = async (acceptedAt: Date): Promise<number> =>
    (await targets.ofReports([{ accountId, acceptedAt }])).get(accountId)?.length ?? 0;
  const before = new Date(0);
  expect(await count(before)).toBe(1);

  await rows.db.query(
    `INSERT INTO webhook (id, account_id, name, channel, provider, method, endpoint, headers, fields, max_in_flight, sealed_secret)
     SELECT uuidv7(), account_id, 'another', channel, provider, method, endpoint, headers, fields, max_in_flight, sealed_secret
       FROM webhook WHERE account_id = $1`,
    [accountId],
  );

  expect(await count(new Date())).toBe(2);
});

function damaged(sealed: Buffer): Buffer {
  return sealed.fill(0, 20, 24);
}

/** @returns the id of its account */
async function storeWebhook({ db }: TestRows, seal: (row: SealedRow) => Buffer): Promise<string> {
  const id = randomUUIDv7();
  const [account]: { id: string }[] = await db.query(
    `INSERT INTO account (id, name) VALUES (uuidv7(), 'a') RETURNING id`,
  );
  await db.query(
    `INSERT INTO webhook (id, account_id, name, channel, provider, method, endpoint, headers, fields, max_in_flight, sealed_secret)
     VALUES ($3, $1, 'w', 'sms', 'any', 'POST', 'https://example.com/', '[]', '{}', 4, $2)`,
    [account!.id, seal(webhookRow(account!.id, id)), id],
  );
  return account!.id;
}
