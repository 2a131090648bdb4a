import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { addSender, newProviderTemplate } from '@signalbox/test/rows';
import { listParked } from '../ops/parked.ts';
import { claimLostReviews } from '../ops/rescue.ts';
import { upsertGatewayNumbers } from './gateway-numbers.ts';
import {
  type ProviderTemplate,
  applyProviderTemplate,
  claimRegistrations,
  endRegistration,
  enrolTemplates,
  recordAttempt,
  recordRegistration,
  refuseRegistration,
} from './registrations.ts';
import { decideTemplates, listPendingTemplates, listTemplateEvents } from './reviews.ts';
import { deleteTemplate, editTemplate, findTemplate, insertTemplates } from './templates.ts';

const rows = await openSharedRows();

const CLAIM = { limit: 10, limitOfAccount: 10, leaseSeconds: 60 };

let setups = 0;
const CONTENT = {
  category: 'UTILITY' as const,
  components: [{ type: 'BODY', text: 'Hi' }],
  allowCategoryChange: false,
  codeExpirationMinutes: null,
};

/** Adds an account with a number, and a gateway. */
async function addNumber(gateway: string, msisdn: string) {
  const { db } = rows;
  const accountId = randomUUIDv7();
  const chatAccountId = await addSender(db, accountId, msisdn);
  await db.query(
    `INSERT INTO gateway (id, name, channel, kind, settings) VALUES ($1, $2, 'chatapp', 'cloud-api', '{}')`,
    [randomUUIDv7(), gateway],
  );
  return { accountId, chatAccountId };
}

/** An account with one number, and its own gateway. */
async function setup({ isServed = true } = {}) {
  const { db } = rows;
  setups += 1;
  const [gateway, msisdn] = [`whatsapp-${setups}`, String(15_550_783_881 + setups)];
  const { accountId, chatAccountId } = await addNumber(gateway, msisdn);
  const serve = () => upsertGatewayNumbers(db, gateway, [{ msisdn, providerId: '1' }]);
  if (isServed) await serve();
  let count = 0;
  const create = async (name?: string): Promise<string> => {
    count += 1;
    const template = {
      id: randomUUIDv7(),
      chatAccountId,
      name: name ?? `order_${count}`,
      language: 'en',
      ...CONTENT,
    };
    await insertTemplates(db, accountId, [template], 'test', new Date());
    return template.id;
  };
  return {
    db,
    accountId,
    serve,
    create,
    /** Creates a template that the provider has under an id. */
    registered: async (gatewayTemplateId: string): Promise<string> => {
      const id = await create();
      await enrolTemplates(db);
      await claimRegistrations(db, gateway, CLAIM);
      await recordAttempt(db, id, 1, null);
      await recordRegistration(db, id, 1, gatewayTemplateId);
      return id;
    },
    hear: (gatewayTemplateId: string, word: Partial<ProviderTemplate>) =>
      applyProviderTemplate(db, newProviderTemplate({ gateway, gatewayTemplateId, name: '', ...word })),
    find: async (id: string) => (await findTemplate(db, accountId, id))!,
    events: async (id: string) =>
      (await listTemplateEvents(db, accountId, id, 20)).map(({ event, reason }) => [event, reason]),
    edit: (id: string, version: number) => editTemplate(db, accountId, { id, version }, CONTENT, 'test'),
    remove: (id: string) => deleteTemplate(db, accountId, id, 'test'),
    claim: async () =>
      (await claimRegistrations(db, gateway, CLAIM)).map(
        ({ templateId, version, attemptedVersion, isDeleted, gatewayTemplateId }) => ({
          templateId,
          version,
          attemptedVersion,
          isDeleted,
          gatewayTemplateId,
        }),
      ),
    makeDue: () => db.query(`UPDATE template_registration SET due_at = now()`),
    gateway,
    msisdn,
  };
}

test('a served template is claimed once, again after its lease, and says what was sent', async () => {
  const t = await setup();
  const templateId = await t.create();
  expect(await enrolTemplates(t.db)).toEqual({ enrolled: 1, reopened: 0 });
  expect(await enrolTemplates(t.db)).toEqual({ enrolled: 0, reopened: 0 });

  const due = { templateId, version: 1, isDeleted: false, gatewayTemplateId: null };
  expect(await t.claim()).toEqual([{ ...due, attemptedVersion: 0 }]);
  expect(await t.claim()).toEqual([]);
  await t.makeDue();
  expect(await t.claim()).toEqual([{ ...due, attemptedVersion: 0 }]);
  await recordAttempt(t.db, templateId, 1, null);
  await t.makeDue();
  expect(await t.claim()).toEqual([{ ...due, attemptedVersion: 1 }]);

  await recordRegistration(t.db, templateId, 1, '594');
  await t.makeDue();
  expect(await t.claim()).toEqual([]);
});

test('a template that a provider reviews is decided by nobody else', async () => {
  const t = await setup();
  const id = await t.create();
  await enrolTemplates(t.db);
  expect(await listPendingTemplates(t.db, [id])).toEqual([]);
  expect(await decideTemplates(t.db, [{ id, decision: 'approve' }], 'test')).toEqual([]);
  await t.db.query(`UPDATE template SET submitted_at = now() - interval '1 day'`);
  expect(await claimLostReviews(t.db, null)).toEqual([]);
});

test('a template without such a gateway stays with the own review', async () => {
  const t = await setup({ isServed: false });
  const id = await t.create();
  expect(await enrolTemplates(t.db)).toEqual({ enrolled: 0, reopened: 0 });
  expect(await listPendingTemplates(t.db, [id])).toHaveLength(1);
  expect(await decideTemplates(t.db, [{ id, decision: 'approve' }], 'test')).toEqual([id]);
});

test('a template whose gateway is disabled is reviewed here, and by the provider after that', async () => {
  const t = await setup();
  const id = await t.registered('594');
  const enable = (enabled: boolean) =>
    t.db.query('UPDATE gateway SET enabled = $2 WHERE name = $1', [t.gateway, enabled]);
  await enable(false);
  await t.db.query(`UPDATE template SET submitted_at = now() - interval '1 day' WHERE id = $1`, [id]);

  expect(await claimLostReviews(t.db, null)).toContain(id);
  expect(await decideTemplates(t.db, [{ id, decision: 'approve' }], 'test')).toEqual([id]);
  expect(await t.find(id)).toMatchObject({ status: 'APPROVED', registration: null });

  await enable(true);
  expect(await enrolTemplates(t.db)).toEqual({ enrolled: 1, reopened: 1 });
  expect((await t.find(id)).status).toBe('PENDING');
  await t.db.query(`UPDATE template SET starts = 10 WHERE id = $1`, [id]);
  expect(await listParked(t.db, 'template', { accountId: t.accountId, gateway: null }, 10)).toEqual([]);
  await enable(false);
  expect(await listParked(t.db, 'template', { accountId: t.accountId, gateway: null }, 10)).toMatchObject([
    { id },
  ]);
});

test('a template that only Signalbox approved is reviewed again by a new provider', async () => {
  const t = await setup({ isServed: false });
  const id = await t.create();
  await decideTemplates(t.db, [{ id, decision: 'approve' }], 'test');
  await t.serve();
  expect(await enrolTemplates(t.db)).toEqual({ enrolled: 1, reopened: 1 });
  expect((await t.find(id)).status).toBe('PENDING');
  expect(await t.claim()).toMatchObject([{ templateId: id }]);
});

test('each decision of the provider moves the template, with its reason', async () => {
  const t = await setup();
  const id = await t.registered('594');
  for (const [status, reason] of [
    ['APPROVED', null],
    ['APPROVED', null],
    ['PAUSED', 'Low quality'],
    ['APPROVED', null],
    ['REJECTED', 'Disabled'],
  ] as const)
    expect(await t.hear('594', { providerStatus: status, status, reason })).toBe(true);

  expect(await t.find(id)).toMatchObject({
    status: 'REJECTED',
    rejectionReason: 'Disabled',
    registration: { gatewayTemplateId: '594', status: 'REJECTED', reason: 'Disabled' },
  });
  expect((await t.events(id)).toReversed()).toEqual([
    ['created', null],
    ['registered', '594'],
    ['approved', null],
    ['paused', 'Low quality'],
    ['resumed', null],
    ['rejected', 'Disabled'],
  ]);
});

test('quality and category changes are kept, and a coming category is shown', async () => {
  const t = await setup();
  const id = await t.registered('594');
  await t.hear('594', { quality: 'RED' });
  await t.hear('594', { quality: 'RED' });
  await t.hear('594', { category: 'UTILITY', comingCategory: 'MARKETING' });
  expect((await t.find(id)).registration).toMatchObject({ quality: 'RED', comingCategory: 'MARKETING' });
  await t.hear('594', { category: 'MARKETING' });
  expect(await t.find(id)).toMatchObject({
    category: 'MARKETING',
    registration: { comingCategory: null },
  });
  expect((await t.events(id)).toReversed().slice(2)).toEqual([
    ['quality_changed', 'RED'],
    ['category_changed', 'UTILITY to MARKETING'],
  ]);
});

test('a status that arrives before the id is matched by name once a creation was sent', async () => {
  const t = await setup();
  const id = await t.create();
  await enrolTemplates(t.db);
  const state = { name: 'order_1', providerStatus: 'APPROVED', status: 'APPROVED' } as const;
  expect(await t.hear('594', state)).toBe(false);
  await recordAttempt(t.db, id, 1, null);
  expect(await t.hear('594', state)).toBe(true);
  await recordRegistration(t.db, id, 1, '594');
  expect((await t.find(id)).status).toBe('APPROVED');
});

test('a status of the version before an edit does not approve the edit', async () => {
  const t = await setup();
  const id = await t.registered('594');
  await t.hear('594', { providerStatus: 'APPROVED', status: 'APPROVED' });
  await t.edit(id, 1);
  await t.hear('594', { providerStatus: 'PAUSED', status: 'PAUSED' });
  expect((await t.find(id)).status).toBe('PENDING');
  expect(await t.claim()).toMatchObject([{ templateId: id, version: 2, gatewayTemplateId: '594' }]);
});

test('a status of a template of another gateway changes nothing', async () => {
  const t = await setup();
  await t.registered('594');
  expect(await t.hear('594', { gateway: 'other', status: 'APPROVED' })).toBe(false);
  expect(await t.hear('595', { status: 'APPROVED' })).toBe(false);
});

test('a refusal rejects the template with the reason, and an edit tries again', async () => {
  const t = await setup();
  const id = await t.create();
  await enrolTemplates(t.db);
  await t.claim();
  await refuseRegistration(t.db, id, 1, 'Too many variables');
  expect(await t.find(id)).toMatchObject({ status: 'REJECTED', rejectionReason: 'Too many variables' });
  await t.makeDue();
  expect(await t.claim()).toEqual([]);
  await t.edit(id, 1);
  expect(await t.claim()).toMatchObject([{ templateId: id, version: 2, gatewayTemplateId: null }]);
});

test('deletions are claimed before new templates, until they are done', async () => {
  const t = await setup();
  const id = await t.registered('594');
  const fresh = await t.create();
  await t.remove(id);
  await enrolTemplates(t.db);
  expect(await t.claim()).toMatchObject([
    { templateId: id, isDeleted: true },
    { templateId: fresh, isDeleted: false },
  ]);
  await endRegistration(t.db, id);
  await t.makeDue();
  expect(await t.claim()).toMatchObject([{ templateId: fresh }]);
});

test('a new template is not claimed before the deleted one of its name is gone', async () => {
  const t = await setup();
  const deleted = await t.registered('594');
  await t.remove(deleted);
  const [same, other] = [await t.create('order_1'), await t.create('order_2')];
  await enrolTemplates(t.db);

  expect(await t.claim()).toMatchObject([{ templateId: deleted }, { templateId: other }]);
  expect(await t.claim()).toEqual([]);
  await endRegistration(t.db, deleted);
  expect(await t.claim()).toMatchObject([{ templateId: same }]);
});

test('a number that moves to another gateway registers its templates there', async () => {
  const t = await setup();
  const id = await t.registered('594');
  await t.hear('594', { providerStatus: 'APPROVED', status: 'APPROVED' });
  await t.db.query(
    `INSERT INTO gateway (id, name, channel, kind, settings) VALUES ($1, 'new', 'chatapp', 'cloud-api', '{}')`,
    [randomUUIDv7()],
  );
  await upsertGatewayNumbers(t.db, t.gateway, []);
  await upsertGatewayNumbers(t.db, 'new', [{ msisdn: t.msisdn, providerId: '2' }]);
  expect(await enrolTemplates(t.db)).toEqual({ enrolled: 1, reopened: 1 });
  expect(await t.find(id)).toMatchObject({
    status: 'PENDING',
    registration: { gateway: 'new', gatewayTemplateId: null },
  });
});

test('a claim takes few templates of an account, its deletions first', async () => {
  const t = await setup();
  const deleted = await t.registered('601');
  const kept = [await t.create(), await t.create()];
  await enrolTemplates(t.db);
  await t.remove(deleted);
  await t.makeDue();
  const few = { ...CLAIM, limitOfAccount: 2 };
  const claim = async () => (await claimRegistrations(t.db, t.gateway, few)).map((due) => due.templateId);

  const [first, second] = [await claim(), await claim()];

  expect(first).toHaveLength(2);
  expect(first[0]).toBe(deleted);
  expect([...first.slice(1), ...second].toSorted()).toEqual(kept.toSorted());
});
