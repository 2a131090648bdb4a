import { type EntityManager, LessThan, QueryFailedError } from 'typeorm';
import { SmsTemplate } from './sms-template.entity.ts';

/** Stores a template; false when the account has one of that name already. */
export async function insertSmsTemplate(db: EntityManager, template: SmsTemplate): Promise<boolean> {
  const { id, accountId, name, text, sender, type, dltEntityId, dltTemplateId, createdAt } = template;
  const inserted: unknown[] = await db.query(
    `INSERT INTO sms_template (id, account_id, name, text, sender, type, dlt_entity_id, dlt_template_id, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
     ON CONFLICT ON CONSTRAINT sms_template_name DO NOTHING RETURNING id`,
    [id, accountId, name, text, sender, type, dltEntityId, dltTemplateId, createdAt],
  );
  return inserted.length > 0;
}

/** One template of an account; undefined when there is none, whoever else may have it. */
export async function findSmsTemplate(
  db: EntityManager,
  accountId: string,
  id: string,
): Promise<SmsTemplate | undefined> {
  return (await db.findOneBy(SmsTemplate, { id, accountId })) ?? undefined;
}

/** The templates that accounts send with, in one statement for all of them. */
export function listSmsTemplatesByKey(
  db: EntityManager,
  keys: { accountId: string; id: string }[],
): Promise<SmsTemplate[]> {
  return db.query(
    `SELECT t.id, t.account_id AS "accountId", t.name, t.text, t.sender, t.type, t.dlt_entity_id AS "dltEntityId",
            t.dlt_template_id AS "dltTemplateId", t.created_at AS "createdAt", t.updated_at AS "updatedAt"
       FROM unnest($1::uuid[], $2::uuid[]) AS k(account_id, id) JOIN sms_template t ON t.id = k.id AND t.account_id = k.account_id`,
    [keys.map((key) => key.accountId), keys.map((key) => key.id)],
  );
}

/** A page of an account's templates, newest first, from just before the id `before`. */
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

/** What may be changed of a template. */
export type SmsTemplateChange = Partial<
  Pick<SmsTemplate, 'name' | 'text' | 'sender' | 'type' | 'dltEntityId' | 'dltTemplateId'>
>;

/** Changes a template. @returns how it went; a name that another template of the account has changes nothing */
export async function updateSmsTemplate(
  db: EntityManager,
  accountId: string,
  id: string,
  change: SmsTemplateChange,
): Promise<'changed' | 'absent' | 'name_exists'> {
  try {
    const { affected } = await db.update(
      SmsTemplate,
      { id, accountId },
      { ...change, updatedAt: new Date() },
    );
    return affected === 1 ? 'changed' : 'absent';
  } catch (error) {
    if (isNameTaken(error)) return 'name_exists';
    throw error;
  }
}

/** Takes a template away; what was accepted with it keeps its text. @returns whether there was one */
export async function deleteSmsTemplate(db: EntityManager, accountId: string, id: string): Promise<boolean> {
  const { affected } = await db.delete(SmsTemplate, { id, accountId });
  return affected === 1;
}

function isNameTaken(error: unknown): boolean {
  return (
    error instanceof QueryFailedError &&
    (error.driverError as { constraint?: string }).constraint === 'sms_template_name'
  );
}
