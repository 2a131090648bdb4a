import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { inShell } from '../../app/shell.route.tsx';

const list = createRoute({
  ...inShell,
  path: '/sms-templates',
  component: lazyPage(() => import('./sms-templates.page.tsx'), 'SmsTemplatesPage'),
});

const one = createRoute({
  ...inShell,
  path: '/sms-templates/$id',
  component: lazyPage(() => import('./sms-template.page.tsx'), 'SmsTemplatePage'),
});

export const smsTemplatesRoutes = [list, one] as const;
