import { randomUUIDv7 } from 'node:crypto';
import { upsertGatewayNumbers } from '@signalbox/database/templates/gateway-numbers';
import { type ProviderTemplate, applyProviderTemplate } from '@signalbox/database/templates/provider-states';
import { enrolTemplates } from '@signalbox/database/templates/enrolment';
import {
  claimRegistrations,
  recordAttempt,
  recordRegistration,
} from '@signalbox/database/templates/registrations';
import { listTemplateEvents } from '@signalbox/database/templates/reviews';
import {
  deleteTemplate,
  editTemplate,
  findTemplate,
  insertTemplates,
} from '@signalbox/database/templates/templates';
import type { EntityManager } from 'typeorm';
import { type TestRows, addSender, newProviderTemplate } from './rows.ts';

/** Limits of a claim that takes all. */
export const CLAIM = { limit: 10, limitOfAccount: 10, leaseSeconds: 60 };

let setups = 0;
const CONTENT = {
  category: 'UTILITY' as const,
  components: [{ type: 'BODY', text: 'Hi' }],
  allowCategoryChange: false,
  codeExpirationMinutes: null,
};

/** Adds an account with a number, and a gateway. */
async function addNumber(db: EntityManager, gateway: string, msisdn: string) {
  const accountId = randomUUIDv7();
  const chatAccountId = await addSender(db, accountId, msisdn);
  await db.query(
    `INSERT INTO gateway (id, name, channel, kind, settings)
     VALUES ($1, $2, 'chatapp', 'cloud-api', jsonb_build_object('businessAccountId', $2::text))`,
    [randomUUIDv7(), gateway],
  );
  return { accountId, chatAccountId };
}

/** Adds an account with one number and its own gateway, whose business account has the name of the gateway. */
export async function addRegistering({ db }: Pick<TestRows, 'db'>, { isServed = true } = {}) {
  setups += 1;
  const [gateway, msisdn] = [`whatsapp-${setups}`, String(15_550_783_881 + setups)];
  const { accountId, chatAccountId } = await addNumber(db, gateway, msisdn);
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
    chatAccountId,
    serve,
    create,
    /** Creates a template that the provider has under an id. */
    registered: async (gatewayTemplateId: string): Promise<string> => {
      const id = await create();
      await enrolTemplates(db);
      await claimRegistrations(db, { gateway, businessAccountId: gateway }, CLAIM);
      await recordAttempt(db, id, 1, null);
      await recordRegistration(db, { templateId: id, version: 1, gateway }, gatewayTemplateId);
      return id;
    },
    hear: (gatewayTemplateId: string, word: Partial<ProviderTemplate>) =>
      applyProviderTemplate(db, newProviderTemplate({ gateway, gatewayTemplateId, name: '', ...word })),
    find: async (id: string) => (await findTemplate(db, accountId, id))!,
    events: async (id: string) =>
      (await listTemplateEvents(db, accountId, id, 20)).map(({ event, reason }) => [event, reason]),
    edit: (id: string, version: number) => editTemplate(db, accountId, { id, version }, CONTENT, 'test'),
    remove: (id: string) => deleteTemplate(db, accountId, id, 'test'),
    claim: async (businessAccountId = gateway) =>
      (await claimRegistrations(db, { gateway, businessAccountId }, CLAIM)).map(
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
