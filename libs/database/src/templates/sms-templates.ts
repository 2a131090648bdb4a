import { type EntityManager, LessThan } from 'typeorm';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';
import { orNameExists } from '../core/unique-name.ts';
import { SmsTemplate } from './sms-template.entity.ts';

const NAME_CONSTRAINT = 'sms_template_name';

/** Inserts a template; false when the account has one of that name. */
export async function insertSmsTemplate(db: EntityManager, template: SmsTemplate): Promise<boolean> {
  const insert = db.insert(SmsTemplate, { ...template, updatedAt: template.createdAt });
  return (await orNameExists(NAME_CONSTRAINT, insert)) !== 'name_exists';
}

/** Finds one template of an account. */
export async function findSmsTemplate(
  db: EntityManager,
  accountId: string,
  id: string,
): Promise<SmsTemplate | undefined> {
  return (await db.findOneBy(SmsTemplate, { id, accountId })) ?? undefined;
}

const KEYS = rowset('wanted', { account_id: 'uuid', id: 'uuid' });

const LIST_BY_KEY = sql`
  SELECT t.id, t.account_id AS "accountId", t.name, t.text, t.sender, t.type, t.dlt_entity_id AS "dltEntityId",
         t.dlt_template_id AS "dltTemplateId", t.created_at AS "createdAt", t.updated_at AS "updatedAt"
    FROM ${KEYS.from}
    JOIN sms_template t ON t.id = wanted.id AND t.account_id = wanted.account_id`;

/** Lists the templates that accounts send with, in one statement for all of them. */
export function listSmsTemplatesByKey(
  db: EntityManager,
  keys: { accountId: string; id: string }[],
): Promise<SmsTemplate[]> {
  return db.query(LIST_BY_KEY, KEYS.values(keys));
}

/** Lists a page of an account's templates, newest first, before the id `before`. */
export function listSmsTemplates(
  db: EntityManager,
  accountId: string,
  limit: number,
  before?: string,
): Promise<SmsTemplate[]> {
  return db.find(SmsTemplate, {
    where: { accountId, ...(before && { id: LessThan(before) }) },
    order: { id: 'DESC' },
    take: limit,
  });
}

/** The fields of a template that may be changed. */
export type SmsTemplateChange = Partial<
  Pick<SmsTemplate, 'name' | 'text' | 'sender' | 'type' | 'dltEntityId' | 'dltTemplateId'>
>;

/** Changes a template. @returns 'name_exists' when the account has another one of that name; nothing is changed then */
export async function updateSmsTemplate(
  db: EntityManager,
  accountId: string,
  id: string,
  change: SmsTemplateChange,
): Promise<'changed' | 'absent' | 'name_exists'> {
  const update = db.update(SmsTemplate, { id, accountId }, { ...change, updatedAt: new Date() });
  const result = await orNameExists(NAME_CONSTRAINT, update);
  if (result === 'name_exists') return result;
  return result.affected === 1 ? 'changed' : 'absent';
}

/** Deletes a template; messages accepted with it keep their text. False when there is none. */
export async function deleteSmsTemplate(db: EntityManager, accountId: string, id: string): Promise<boolean> {
  const { affected } = await db.delete(SmsTemplate, { id, accountId });
  return affected === 1;
}
