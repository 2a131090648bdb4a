import type { SmsTemplate } from '@signalbox/database/templates/sms-template.entity';
import { countValues, parseTemplate } from '@signalbox/domain/sms/text';

/** An SMS template on the wire. */
export interface SmsTemplateView {
  id: string;
  name: string;
  text: string;
  /** Number of values that a send must supply. */
  variables: number;
  sender: string | null;
  type: string | null;
  dltEntityId: string | null;
  dltTemplateId: string | null;
  createdAt: string;
  updatedAt: string;
}

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
