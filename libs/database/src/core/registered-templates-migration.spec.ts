import { expect, test } from '@jest/globals';
import { createDatabase } from '@signalbox/test/database';
import { addRegistering } from '@signalbox/test/registering';
import { DataSource } from 'typeorm';
import { enrolTemplates } from '../templates/enrolment.ts';
import { hasUndecided } from '../templates/registrations.ts';
import { dataSourceOptions } from './data-source.ts';

test('templates that the previous version registered are not enrolled again', async () => {
  await using database = await createDatabase();
  const options = {
    url: database.url,
    applicationName: 'registered',
    poolSize: 1,
    commit: 'durable',
  } as const;
  const source = await new DataSource(dataSourceOptions(options)).initialize();
  const db = source.manager;
  const t = await addRegistering({ db });
  const [id, fresh] = [await t.registered('594'), await t.create()];

  const isNewer = async () =>
    (await db.query(`SELECT FROM information_schema.columns WHERE column_name = 'registered_with'`)).length >
    0;
  while (await isNewer()) await source.undoLastMigration({ transaction: 'none' });
  await source.runMigrations({ transaction: 'each' });

  const rows: Record<string, unknown>[] = await db.query(
    'SELECT id, registered_with, registered_version FROM template ORDER BY id',
  );
  expect(rows).toEqual([
    { id, registered_with: `${t.gateway} ${t.gateway}`, registered_version: 1 },
    { id: fresh, registered_with: 'none', registered_version: null },
  ]);
  expect(await hasUndecided(db, { gateway: t.gateway, businessAccountId: t.gateway })).toBe(true);
  expect(await enrolTemplates(db)).toEqual({ enrolled: 1, reopened: 0 });
  expect((await t.find(id)).registration).toMatchObject({ gatewayTemplateId: '594' });
  await source.destroy();
});
