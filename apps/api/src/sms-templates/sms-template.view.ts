import type { SmsTemplate } from '@signalbox/database/templates/sms-template.entity';
import { countValues, parseTemplate } from '@signalbox/domain/sms/text';
import { type Static, Type } from 'typebox';
import { ID, TEXT, TIME, model, nullable } from '../docs/model.ts';

export const SmsTemplateView = model('SmsTemplate', 'An SMS template.', {
  id: ID,
  name: TEXT,
  text: TEXT,
  variables: Type.Integer({ minimum: 0, description: 'Number of values that a send must supply.' }),
  sender: nullable(TEXT),
  type: nullable(TEXT, 'The only type it may be sent with; null for any.'),
  dltEntityId: nullable(TEXT),
  dltTemplateId: nullable(TEXT),
  createdAt: TIME,
  updatedAt: TIME,
});
export type SmsTemplateView = Static<typeof SmsTemplateView>;

export function smsTemplateView({
  accountId: _,
  createdAt,
  updatedAt,
  ...template
}: SmsTemplate): SmsTemplateView {
  return {
    ...template,
    variables: countValues(parseTemplate(template.text)),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
