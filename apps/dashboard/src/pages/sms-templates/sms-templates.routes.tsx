import { pageRoute } from '../../app/page-route.ts';

const list = pageRoute('/sms-templates', () => import('./sms-templates.page.tsx'), 'SmsTemplatesPage');
const one = pageRoute('/sms-templates/$id', () => import('./sms-template.page.tsx'), 'SmsTemplatePage');

export const smsTemplatesRoutes = [list, one] as const;
