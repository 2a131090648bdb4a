import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { untilOneWaits } from '@signalbox/test/locks';
import { CLAIM, addRegistering } from '@signalbox/test/registering';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { listParked } from '../ops/parked.ts';
import { claimLostReviews } from '../ops/rescue.ts';
import { findSendableTemplates } from './chat-templates.ts';
import { upsertGatewayNumbers } from './gateway-numbers.ts';
import { enrolTemplates } from './enrolment.ts';
import {
  type DueRegistration,
  claimRegistrations,
  endRegistration,
  keepClaim,
  postponeRegistration,
  recordAttempt,
  recordRegistration,
  refuseRegistration,
} from './registrations.ts';
import { decideTemplates, listPendingTemplates } from './reviews.ts';

const rows = await openSharedRows();
const setup = (given?: { isServed: boolean }) => addRegistering(rows, given);

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

  await recordRegistration(t.db, { templateId, version: 1, gateway: t.gateway }, '594');
  await t.makeDue();
  expect(await t.claim()).toEqual([]);
});

test('a claim is neither extended nor postponed after a later one, or a move of its template', async () => {
  const t = await setup();
  const id = await t.create();
  await enrolTemplates(t.db);
  const claim = async () => {
    await t.makeDue();
    const gateway = { gateway: t.gateway, businessAccountId: t.gateway };
    return (await claimRegistrations(t.db, gateway, CLAIM))[0]!;
  };
  const endsNothing = async (due: DueRegistration) => {
    expect(await keepClaim(t.db, due, 3_600)).toBe(false);
    await postponeRegistration(t.db, due, 'problem', 3_600);
    expect((await t.find(id)).registration?.problem).toBeNull();
  };

  const first = await claim();
  const second = await claim();
  await endsNothing(first);
  expect(await keepClaim(t.db, second, 60)).toBe(true);

  await recordAttempt(t.db, id, 1, null);
  await recordRegistration(t.db, second, '594');
  await t.hear('594', { providerStatus: 'APPROVED', status: 'APPROVED' });
  await t.edit(id, 1);
  const ofEdit = await claim();
  expect(ofEdit.starts).toBe(first.starts);
  await endsNothing(first);

  await t.db.query(`UPDATE template_registration SET gateway = 'new' WHERE template_id = $1`, [id]);
  await endsNothing(ofEdit);
});

test('a claim does not pass for that of an edit after a refusal, though both are first starts', async () => {
  const t = await setup();
  const id = await t.create();
  await enrolTemplates(t.db);
  const gateway = { gateway: t.gateway, businessAccountId: t.gateway };
  const [first] = await claimRegistrations(t.db, gateway, CLAIM);
  await refuseRegistration(t.db, id, 1, 'Too many variables');
  await t.edit(id, 1);
  const [second] = await claimRegistrations(t.db, gateway, CLAIM);
  expect(second).toMatchObject({ starts: first!.starts, registeredVersion: first!.registeredVersion });

  expect(await keepClaim(t.db, first!, 60)).toBe(false);
  await postponeRegistration(t.db, first!, 'problem', 3_600);

  expect((await t.find(id)).registration?.problem).toBeNull();
  expect(await keepClaim(t.db, second!, 60)).toBe(true);
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

test('a version that only Signalbox approved is not sent during the review of its edit', async () => {
  const t = await setup({ isServed: false });
  const id = await t.create();
  await decideTemplates(t.db, [{ id, decision: 'approve' }], 'test');
  await t.edit(id, 1);
  const { accountId, chatAccountId } = t;
  const name = { accountId, chatAccountId, name: 'order_1', language: 'en' };
  expect(await findSendableTemplates(t.db, [name])).toMatchObject([{ id, version: 1 }]);

  await t.serve();
  await enrolTemplates(t.db);
  expect(await findSendableTemplates(t.db, [name])).toEqual(['not_approved']);
});

test('a template that two workers enrol at the same time keeps its first attempt', async () => {
  const t = await setup();
  const id = await t.create();
  let second: Promise<unknown> | undefined;
  await t.db.transaction(async (first) => {
    await enrolTemplates(first);
    await recordAttempt(first, id, 1, null);
    second = enrolTemplates(t.db);
    await untilOneWaits(t.db);
  });
  await second;
  expect(await t.claim()).toMatchObject([{ templateId: id, attemptedVersion: 1 }]);
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
    `INSERT INTO gateway (id, name, channel, kind, settings)
     VALUES ($1, 'new', 'chatapp', 'cloud-api', '{"businessAccountId": "new"}')`,
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

test('a registration that ends after its template moved to another gateway is not recorded', async () => {
  const t = await setup();
  const id = await t.create();
  await enrolTemplates(t.db);
  await recordAttempt(t.db, id, 1, null);
  await t.db.query(`UPDATE template_registration SET gateway = 'new' WHERE template_id = $1`, [id]);
  await recordRegistration(t.db, { templateId: id, version: 1, gateway: t.gateway }, '594');
  expect((await t.find(id)).registration).toMatchObject({ gateway: 'new', gatewayTemplateId: null });
});

test('a gateway that changes its business account registers its templates there', async () => {
  const t = await setup();
  const [id, deleted] = [await t.registered('594'), await t.registered('595')];
  await t.hear('594', { providerStatus: 'APPROVED', status: 'APPROVED' });
  await t.remove(deleted);
  await t.db.query(
    `UPDATE gateway SET settings = '{"businessAccountId": "another"}', version = version + 1 WHERE name = $1`,
    [t.gateway],
  );

  expect(await enrolTemplates(t.db)).toEqual({ enrolled: 1, reopened: 1 });
  expect(await t.find(id)).toMatchObject({ status: 'PENDING', registration: { gatewayTemplateId: null } });
  expect(await t.claim('another')).toMatchObject([{ templateId: id, gatewayTemplateId: null }]);
});

test('another gateway of the business account takes over the templates of a disabled one', async () => {
  const t = await setup();
  const id = await t.registered('594');
  await t.hear('594', { providerStatus: 'APPROVED', status: 'APPROVED' });
  // the first by name has another business account
  for (const [name, account] of [
    ['a-other', 'other'],
    ['b-same', t.gateway],
  ]) {
    await t.db.query(
      `INSERT INTO gateway (id, name, channel, kind, settings)
       VALUES ($1, $2, 'chatapp', 'cloud-api', jsonb_build_object('businessAccountId', $3::text))`,
      [randomUUIDv7(), name, account],
    );
    await upsertGatewayNumbers(t.db, name!, [{ msisdn: t.msisdn, providerId: '2' }]);
  }
  await t.db.query('UPDATE gateway SET enabled = false WHERE name = $1', [t.gateway]);

  expect(await enrolTemplates(t.db)).toEqual({ enrolled: 0, reopened: 0 });

  expect(await t.find(id)).toMatchObject({
    status: 'APPROVED',
    registration: { gateway: 'b-same', gatewayTemplateId: '594', status: 'APPROVED' },
  });
  await t.edit(id, 1);
  const claimed = await claimRegistrations(t.db, { gateway: 'b-same', businessAccountId: t.gateway }, CLAIM);
  expect(claimed).toMatchObject([{ templateId: id, version: 2, registeredVersion: 1 }]);
});

test('a deletion is carried out by another gateway of the business account', async () => {
  const t = await setup();
  const deleted = await t.registered('594');
  await t.remove(deleted);
  const claimed = await claimRegistrations(t.db, { gateway: 'new', businessAccountId: t.gateway }, CLAIM);
  expect(claimed).toMatchObject([{ templateId: deleted, isDeleted: true, gatewayTemplateId: '594' }]);
});

test('a claim takes few templates of an account, its deletions first', async () => {
  const t = await setup();
  const deleted = await t.registered('601');
  const kept = [await t.create(), await t.create()];
  await enrolTemplates(t.db);
  await t.remove(deleted);
  await t.makeDue();
  const few = { ...CLAIM, limitOfAccount: 2 };
  const claim = async () =>
    (await claimRegistrations(t.db, { gateway: t.gateway, businessAccountId: t.gateway }, few)).map(
      (due) => due.templateId,
    );

  const [first, second] = [await claim(), await claim()];

  expect(first).toHaveLength(2);
  expect(first[0]).toBe(deleted);
  expect([...first.slice(1), ...second].toSorted()).toEqual(kept.toSorted());
});

test('templates with a registration of a version that stored no business account keep it', async () => {
  const t = await setup();
  const id = await t.registered('594');
  await t.db.query('UPDATE template_registration SET business_account_id = NULL WHERE template_id = $1', [
    id,
  ]);

  expect(await enrolTemplates(t.db)).toEqual({ enrolled: 0, reopened: 0 });

  expect((await t.find(id)).registration).toMatchObject({ gateway: t.gateway, gatewayTemplateId: '594' });
  expect(await enrolTemplates(t.db)).toEqual({ enrolled: 0, reopened: 0 });
});

test('a template whose gateway is the second of two is not enrolled again', async () => {
  const t = await setup();
  const id = await t.registered('594');
  const others = [`a-${t.gateway}`, `z-${t.gateway}`];
  for (const name of others) {
    await t.db.query(
      `INSERT INTO gateway (id, name, channel, kind, settings)
       VALUES ($1, $2, 'chatapp', 'cloud-api', jsonb_build_object('businessAccountId', $2::text))`,
      [randomUUIDv7(), name],
    );
    await upsertGatewayNumbers(t.db, name, [{ msisdn: t.msisdn, providerId: '2' }]);
  }

  expect(await enrolTemplates(t.db)).toEqual({ enrolled: 0, reopened: 0 });
  expect((await t.find(id)).registration).toMatchObject({ gateway: t.gateway });
});
