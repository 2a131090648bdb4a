import type { SmsTemplate } from '@signalbox/database/templates/sms-template.entity';
import { countValues, parseTemplate } from '@signalbox/domain/sms/text';

/** A template as the API shows it. */
export interface SmsTemplateView {
  id: string;
  name: string;
  text: string;
  /** How many values a send must bring. */
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
