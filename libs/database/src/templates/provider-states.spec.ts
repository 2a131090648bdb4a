import { expect, test } from '@jest/globals';
import { addRegistering } from '@signalbox/test/registering';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { newProviderTemplate } from '@signalbox/test/rows';
import { type ProviderTemplate, applyListedTemplates, timeOfList } from './provider-states.ts';
import { enrolTemplates } from './enrolment.ts';
import { endRegistration, recordAttempt, recordRegistration, refuseRegistration } from './registrations.ts';

const rows = await openSharedRows();
const setup = () => addRegistering(rows);

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
  await t.hear('594', { category: 'UTILITY' });
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
  await recordRegistration(t.db, { templateId: id, version: 1, gateway: t.gateway }, '594');
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

test('a status from before an edit that arrives after it does not approve the edit', async () => {
  const t = await setup();
  const id = await t.registered('594');
  const approved = { providerStatus: 'APPROVED', status: 'APPROVED', category: 'MARKETING' } as const;
  await t.hear('594', approved);
  await t.edit(id, 1);
  await recordAttempt(t.db, id, 2, '594');
  await recordRegistration(t.db, { templateId: id, version: 2, gateway: t.gateway }, '594');

  await t.hear('594', { ...approved, at: new Date(Date.now() - 60_000) });
  expect((await t.find(id)).status).toBe('PENDING');
  await t.hear('594', { ...approved, at: new Date() });
  expect((await t.find(id)).status).toBe('APPROVED');
});

test('statuses that arrive in another order end with the latest', async () => {
  const t = await setup();
  const id = await t.registered('594');
  const [sooner, later] = [new Date(Date.now() + 30_000), new Date(Date.now() + 60_000)];
  await t.hear('594', { providerStatus: 'APPROVED', status: 'APPROVED' });
  await t.hear('594', { providerStatus: 'PAUSED', status: 'PAUSED', at: later });
  await t.hear('594', { providerStatus: 'APPROVED', status: 'APPROVED', at: sooner });
  expect(await t.find(id)).toMatchObject({ status: 'PAUSED', registration: { status: 'PAUSED' } });
});

test('a status of a deleted template is not one of the new template of its name', async () => {
  const t = await setup();
  const deleted = await t.registered('594');
  await t.remove(deleted);
  await endRegistration(t.db, deleted);
  const id = await t.create('order_1');
  await enrolTemplates(t.db);
  await recordAttempt(t.db, id, 1, null);

  await t.hear('594', { name: 'order_1', providerStatus: 'DELETED', status: 'REJECTED' });
  expect((await t.find(id)).status).toBe('PENDING');
});

test('a status of a template of another gateway changes nothing', async () => {
  const t = await setup();
  await t.registered('594');
  expect(await t.hear('594', { gateway: 'other', status: 'APPROVED' })).toBe(false);
  expect(await t.hear('595', { status: 'APPROVED' })).toBe(false);
});

test('a state of the version before a refused edit approves nothing', async () => {
  const t = await setup();
  const id = await t.registered('594');
  const approved = { providerStatus: 'APPROVED', status: 'APPROVED', category: 'MARKETING' } as const;
  await t.hear('594', approved);
  await t.edit(id, 1);
  await t.claim();
  await recordAttempt(t.db, id, 2, '594');
  await refuseRegistration(t.db, id, 2, 'Edited too often');

  await t.hear('594', approved);
  await t.hear('594', { providerStatus: 'PAUSED', status: 'PAUSED' });
  await t.hear('594', approved);

  expect(await t.find(id)).toMatchObject({ status: 'REJECTED', rejectionReason: 'Edited too often' });
});

test('a foreign template of the name of a refused one approves nothing', async () => {
  const t = await setup();
  const id = await t.create();
  await enrolTemplates(t.db);
  await t.claim();
  await recordAttempt(t.db, id, 1, null);
  await refuseRegistration(t.db, id, 1, 'Too many variables');
  const state = { name: 'order_1', providerStatus: 'APPROVED', status: 'APPROVED' } as const;
  expect(await t.hear('594', state)).toBe(false);
  expect((await t.find(id)).status).toBe('REJECTED');
});

test('a list that began in the second of an edit does not approve the edit', async () => {
  const t = await setup();
  const id = await t.registered('594');
  const approved = { providerStatus: 'APPROVED', status: 'APPROVED' } as const;
  await t.hear('594', approved);
  const at = await timeOfList(t.db);
  await t.edit(id, 1);
  await recordAttempt(t.db, id, 2, '594');
  await recordRegistration(t.db, { templateId: id, version: 2, gateway: t.gateway }, '594');

  await t.hear('594', { ...approved, at });

  expect((await t.find(id)).status).toBe('PENDING');
});

test('a list that began before the answer to an edit does not approve the edit', async () => {
  const t = await setup();
  const id = await t.registered('594');
  const approved = { providerStatus: 'APPROVED', status: 'APPROVED' } as const;
  await t.hear('594', approved);
  await t.edit(id, 1);
  await recordAttempt(t.db, id, 2, '594');
  await t.db.query(`UPDATE template_registration SET status_at = now() - interval '20 seconds'`);
  const at = await timeOfList(t.db);
  await recordRegistration(t.db, { templateId: id, version: 2, gateway: t.gateway }, '594');

  await t.hear('594', { ...approved, at });

  expect((await t.find(id)).status).toBe('PENDING');
});

test('listed states are written only where they differ', async () => {
  const t = await setup();
  const ids = [await t.registered('594'), await t.registered('595')];
  const list = (second: Partial<ProviderTemplate>) =>
    applyListedTemplates(t.db, [
      newProviderTemplate({
        gateway: t.gateway,
        gatewayTemplateId: '594',
        name: '',
        providerStatus: 'PENDING',
      }),
      newProviderTemplate({ gateway: t.gateway, gatewayTemplateId: '595', name: '', ...second }),
      newProviderTemplate({ gateway: t.gateway, gatewayTemplateId: 'foreign', name: '' }),
    ]);
  const versions = (): Promise<{ xmin: string }[]> =>
    t.db.query('SELECT xmin FROM template_registration WHERE template_id = ANY($1) ORDER BY template_id', [
      ids,
    ]);
  await list({ providerStatus: 'PENDING' });
  const before = await versions();

  await list({ providerStatus: 'APPROVED', status: 'APPROVED' });

  const after = await versions();
  expect(after[0]).toEqual(before[0]);
  expect(after[1]).not.toEqual(before[1]);
  expect((await t.find(ids[1]!)).status).toBe('APPROVED');
});
