import { expect, test } from '@jest/globals';
import { countPages } from '@signalbox/test/count-pages';
import { CLAIM, addRegistering } from '@signalbox/test/registering';
import { openSharedRows } from '@signalbox/test/shared-rows';
import type { EntityManager } from 'typeorm';
import { countParked } from '../ops/starts.ts';
import { enrolTemplates } from './enrolment.ts';
import { claimRegistrations, endRegistration, hasUndecided } from './registrations.ts';

const COUNT = 8_000;
/** A few pages for each search. The templates have hundreds, and the look-ups of their registrations thousands. */
const FEW_PAGES = 200;

const rows = await openSharedRows();

test.each(['APPROVED', 'PENDING'])(
  'a claim reads no template whose provider has its newest version: %s',
  async (status) => {
    const t = await setup();
    const templateId = await t.create();
    await enrolTemplates(t.db);
    await t.addKnown({ status });

    expect(await countPages(t.db, t.claimCounted)).toBeLessThan(FEW_PAGES);
    await t.makeDue();
    expect(await t.claimCounted(t.db)).toMatchObject([{ templateId }]);
  },
);

test('a claim reads no deleted template that is gone at its provider', async () => {
  const t = await setup();
  const deleted = await t.registered('594');
  await t.remove(deleted);
  await t.addKnown({ status: 'APPROVED', isDeleted: true });
  const claim = async () => {
    await t.makeDue();
    return t.claimCounted(t.db);
  };

  expect(await countPages(t.db, t.claimCounted)).toBeLessThan(FEW_PAGES);
  expect(await claim()).toMatchObject([{ templateId: deleted, isDeleted: true }]);
  await endRegistration(t.db, deleted);
  expect(await claim()).toEqual([]);
});

test('enrolling reads no template that is registered', async () => {
  const t = await setup();
  await t.addKnown({ status: 'APPROVED' });
  const fresh = await t.create();

  expect(await countPages(t.db, enrolTemplates)).toBeLessThan(300);
  expect((await t.find(fresh)).registration).toMatchObject({ gateway: t.gateway });
});

test('a version is undecided from its registration to the decision of the provider', async () => {
  const t = await setup();
  const isUndecided = () => hasUndecided(t.db, t.businessAccount);
  const waiting = await t.create();
  await enrolTemplates(t.db);
  expect(await isUndecided()).toBe(false);

  const id = await t.registered('594');
  expect(await isUndecided()).toBe(true);
  await t.hear('594', { providerStatus: 'APPROVED', status: 'APPROVED' });
  expect(await isUndecided()).toBe(false);

  await t.edit(id, 1);
  expect(await isUndecided()).toBe(false);
  await t.query(
    'UPDATE template_registration SET version = 2, attempted_version = 2 WHERE template_id = $1',
    id,
  );
  expect(await isUndecided()).toBe(true);
  await t.query('UPDATE template_registration SET business_account_id = NULL WHERE template_id = $1', id);
  expect(await isUndecided()).toBe(true);
  await t.remove(id);
  expect(await isUndecided()).toBe(false);
  expect((await t.find(waiting)).status).toBe('PENDING');
});

test.each(['APPROVED', 'PENDING'])(
  'a search for undecided templates reads few of many: %s',
  async (status) => {
    const t = await setup();
    await t.addKnown({ status });

    expect(await countPages(t.db, (db) => hasUndecided(db, t.businessAccount))).toBeLessThan(20);
  },
);

test('counting parked templates reads none that a provider is to decide on', async () => {
  const t = await setup();
  await t.addKnown({ status: 'PENDING' });
  const own = await addRegistering(rows, { isServed: false });
  await t.query('UPDATE template SET starts = 10 WHERE id = $1', await own.create());

  expect(await countPages(t.db, countParked)).toBeLessThan(50);
  expect(await countParked(t.db)).toMatchObject({ template: 1 });
});

async function setup() {
  const registering = await addRegistering(rows);
  const { db, accountId, chatAccountId, gateway } = registering;
  const businessAccount = { gateway, businessAccountId: gateway };
  return {
    ...registering,
    businessAccount,
    query: (text: string, id: string) => db.query(text, [id]),
    claimCounted: (counted: EntityManager) => claimRegistrations(counted, businessAccount, CLAIM),
    /** Adds templates to the account, which the provider has, or had until they were deleted. */
    addKnown: async ({
      status,
      isDeleted = false,
    }: {
      status: string;
      isDeleted?: boolean;
    }): Promise<void> => {
      await db.query(
        `WITH known AS (
           INSERT INTO template (id, account_id, chat_account_id, name, language, status, category, version,
                                 approved_version, submitted_at, created_at, updated_at, deleted_at)
           SELECT uuidv7(), $1, $2, 'known_' || n, 'en', $5, 'UTILITY', 1, CASE $5 WHEN 'APPROVED' THEN 1 END, now(), now(),
                  now(), CASE WHEN $6 THEN now() END
             FROM generate_series(1, $4::integer) AS n
           RETURNING id, name, deleted_at
         )
         INSERT INTO template_registration (template_id, gateway, business_account_id, gateway_template_id, version,
                                            attempted_version, deleted_at)
         SELECT id, $3, $3, name, 1, 1, deleted_at
           FROM known`,
        [accountId, chatAccountId, gateway, COUNT, status, isDeleted],
      );
      await db.query('VACUUM ANALYZE template, template_registration');
    },
  };
}
