import { IconTextCaption } from '@tabler/icons-react';
import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { shellRoute } from '../../app/shell.route.tsx';

const list = createRoute({
  getParentRoute: () => shellRoute,
  path: '/sms-templates',
  component: lazyPage(() => import('./sms-templates.page.tsx'), 'SmsTemplatesPage'),
  staticData: {
    menu: {
      group: 'Message app',
      label: 'SMS templates',
      order: 45,
      icon: IconTextCaption,
      needs: 'send',
      keywords: 'placeholder dlt text',
    },
  },
});

const one = createRoute({
  getParentRoute: () => shellRoute,
  path: '/sms-templates/$id',
  component: lazyPage(() => import('./sms-template.page.tsx'), 'SmsTemplatePage'),
});

export const smsTemplatesRoutes = [list, one] as const;
