import { IconTemplate } from '@tabler/icons-react';
import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { shellRoute } from '../../app/shell.route.tsx';
import { WORDS } from './words.ts';

/** Filters of the list, each a parameter of its address. */
export interface TemplateSearch {
  status?: 'Pending' | 'Approved' | 'Rejected' | 'Paused';
  category?: 'UTILITY' | 'MARKETING' | 'AUTHENTICATION';
  language?: string;
  name?: string;
  chatAccountId?: string;
}

const FILTERS = ['status', 'category', 'language', 'name', 'chatAccountId'] as const;

function readFilters(search: Record<string, unknown>): TemplateSearch {
  const given = FILTERS.filter((name) => search[name] !== undefined && search[name] !== '');
  return Object.fromEntries(given.map((name) => [name, String(search[name])]));
}

const parent = { getParentRoute: () => shellRoute };

const list = createRoute({
  ...parent,
  path: '/templates',
  validateSearch: readFilters,
  component: lazyPage(() => import('./templates.page.tsx'), 'TemplatesPage'),
  staticData: {
    menu: {
      group: 'Message app',
      label: WORDS.title,
      order: 40,
      icon: IconTemplate,
      needs: 'templates',
      keywords: 'whatsapp chat app review approve media',
    },
  },
});

const create = createRoute({
  ...parent,
  path: '/templates/new',
  validateSearch: (search: Record<string, unknown>): { kind?: string; from?: string } => ({
    ...(typeof search['kind'] === 'string' && { kind: search['kind'] }),
    ...(typeof search['from'] === 'string' && { from: search['from'] }),
  }),
  component: lazyPage(() => import('./editor.page.tsx'), 'NewTemplatePage'),
  staticData: {
    menu: {
      group: 'Message app',
      label: WORDS.create,
      order: 32,
      icon: IconTemplate,
      needs: 'templates',
      isAction: true,
      keywords: 'new create whatsapp chat app',
    },
  },
});

const review = createRoute({
  ...parent,
  path: '/templates/review',
  component: lazyPage(() => import('./review.page.tsx'), 'ReviewPage'),
  staticData: {
    menu: {
      group: 'Message app',
      label: WORDS.reviewQueue,
      order: 33,
      icon: IconTemplate,
      needs: 'manage',
      isAction: true,
      keywords: 'approve reject',
    },
  },
});

const detail = createRoute({
  ...parent,
  path: '/templates/$id',
  component: lazyPage(() => import('./template.page.tsx'), 'TemplatePage'),
});

const edit = createRoute({
  ...parent,
  path: '/templates/$id/edit',
  component: lazyPage(() => import('./editor.page.tsx'), 'EditTemplatePage'),
});

export const templatesRoutes = [list, create, review, detail, edit] as const;
