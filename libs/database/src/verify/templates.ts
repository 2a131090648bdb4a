import type { EntityManager } from 'typeorm';
import { findSendingNumbers } from '../chat/senders.ts';
import { type SendableTemplate, findSendableTemplates } from '../templates/chat-templates.ts';
import type { OtpTemplate } from './verification-config.entity.ts';

/** The reason why a code cannot be sent over the chat app now, in the wire's words. */
export type NoTemplate = 'sender_not_found' | 'template_not_found' | 'template_not_approved';

/** The template that carries the codes of an account's configuration. */
export interface CodeTemplate extends OtpTemplate {
  accountId: string;
}

const NO_CHAT_ACCOUNT = 0;

/** Finds the templates that carry codes, in order, with two statements for any number of them. */
export async function findCodeTemplates(
  db: EntityManager,
  templates: CodeTemplate[],
): Promise<(SendableTemplate | NoTemplate)[]> {
  if (templates.length === 0) return [];
  const numbers = await findSendingNumbers(
    db,
    templates.map(({ accountId, from }) => ({ accountId, msisdn: from })),
  );
  const found = await findSendableTemplates(
    db,
    templates.map(({ accountId, name, language }, i) => {
      return {
        accountId,
        chatAccountId: numbers[i]?.chatAccountId ?? NO_CHAT_ACCOUNT,
        name,
        language: language ?? undefined,
      };
    }),
  );
  return found.map((template, i) => (numbers[i] ? orReason(template) : 'sender_not_found'));
}

/** Only a template approved for codes carries them: an edit may have changed its category. */
function orReason(template: SendableTemplate | 'not_approved' | undefined): SendableTemplate | NoTemplate {
  if (template === undefined) return 'template_not_found';
  return template === 'not_approved' || template.category !== 'AUTHENTICATION'
    ? 'template_not_approved'
    : template;
}
