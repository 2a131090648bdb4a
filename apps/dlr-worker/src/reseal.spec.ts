import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { gatewayRow, totpRow } from '@signalbox/domain/sealed-rows';
import { createLogger } from '@signalbox/runtime/logger';
import { Sealer } from '@signalbox/runtime/seal';
import { openRows } from '@signalbox/test/rows';
import { reseal } from './reseal.ts';

const newKey = () => randomBytes(32).toString('base64');

test('a rotation of SECRETS_KEY reseals credentials of gateways and second factors', async () => {
  await using rows = await openRows();
  const { db } = rows;
  const [before, after] = [newKey(), newKey()];
  const [gateway, user] = [randomUUIDv7(), randomUUIDv7()];
  await db.query(
    `INSERT INTO gateway (id, name, channel, kind, settings, sealed_secrets, source)
     VALUES ($1, 'first', 'sms', 'smpp', '{}', $2, 'api')`,
    [gateway, new Sealer(before).seal('password', gatewayRow(gateway))],
  );
  await db.query(`INSERT INTO app_user (id, email, name, sealed_totp) VALUES ($1, 'a@b.example', 'A', $2)`, [
    user,
    new Sealer(before).seal('totp', totpRow(user)),
  ]);

  await reseal(db, new Sealer(after, before), createLogger('test', 'silent'));

  const [stored] = await db.query('SELECT sealed_secrets, sealed_totp, version FROM gateway, app_user');
  const alone = new Sealer(after);
  expect([
    alone.open(stored.sealed_secrets, gatewayRow(gateway)),
    alone.open(stored.sealed_totp, totpRow(user)),
  ]).toEqual(['password', 'totp']);
  expect(Number(stored.version)).toBe(1);
});
