import { expect, test } from '@jest/globals';
import { createDatabase } from '@signalbox/test/database';
import { addRegistering } from '@signalbox/test/registering';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from './data-source.ts';

test('templates of the previous version get their names, and lose refused versions', async () => {
  await using database = await createDatabase();
  const options = { url: database.url, applicationName: 'names', poolSize: 1, commit: 'durable' } as const;
  const source = await new DataSource(dataSourceOptions(options)).initialize();
  const db = source.manager;
  const [own, other] = [await addRegistering({ db }), await addRegistering({ db })];
  const [first, edited, created] = [
    await own.registered('594'),
    await own.registered('595'),
    await own.registered('596'),
  ];
  const second = await other.registered('594');

  const isNewer = async () =>
    (await db.query(`SELECT FROM information_schema.columns WHERE column_name = 'reserved_name'`)).length > 0;
  while (await isNewer()) await source.undoLastMigration({ transaction: 'none' });
  await db.query(`UPDATE template_registration SET gateway = $2 WHERE template_id = $1`, [
    second,
    own.gateway,
  ]);
  await db.query(
    `UPDATE template_registration r
        SET version = old.version, attempted_version = old.version, gateway_template_id = old.id, status = 'REFUSED'
       FROM (VALUES ($1::uuid, 2, '595'), ($2::uuid, 1, NULL)) AS old(template_id, version, id)
      WHERE r.template_id = old.template_id`,
    [edited, created],
  );
  await source.runMigrations({ transaction: 'each' });

  const rows: { id: string }[] = await db.query(
    `SELECT template_id AS id, version, attempted_version AS attempted, gateway_template_id AS "providerId",
            reserved_name AS name, business_account_id AS account
       FROM template_registration`,
  );
  const account = own.gateway;
  expect(Object.fromEntries(rows.map(({ id, ...row }) => [id, row]))).toEqual({
    [first]: { version: 1, attempted: 1, providerId: '594', name: 'order_1 en', account },
    [edited]: { version: 1, attempted: 1, providerId: '595', name: 'order_2 en', account },
    [created]: { version: 0, attempted: 0, providerId: null, name: null, account },
    [second]: { version: 1, attempted: 1, providerId: '594', name: null, account },
  });
  await source.destroy();
});
