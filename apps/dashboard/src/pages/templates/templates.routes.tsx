import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { inShell } from '../../app/shell.route.tsx';

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

const list = createRoute({
  ...inShell,
  path: '/templates',
  validateSearch: readFilters,
  component: lazyPage(() => import('./templates.page.tsx'), 'TemplatesPage'),
});

const create = createRoute({
  ...inShell,
  path: '/templates/new',
  validateSearch: (search: Record<string, unknown>): { kind?: string; from?: string } => ({
    ...(typeof search['kind'] === 'string' && { kind: search['kind'] }),
    ...(typeof search['from'] === 'string' && { from: search['from'] }),
  }),
  component: lazyPage(() => import('./editor.page.tsx'), 'NewTemplatePage'),
});

const review = createRoute({
  ...inShell,
  path: '/templates/review',
  component: lazyPage(() => import('./review.page.tsx'), 'ReviewPage'),
});

const detail = createRoute({
  ...inShell,
  path: '/templates/$id',
  component: lazyPage(() => import('./template.page.tsx'), 'TemplatePage'),
});

const edit = createRoute({
  ...inShell,
  path: '/templates/$id/edit',
  component: lazyPage(() => import('./editor.page.tsx'), 'EditTemplatePage'),
});

export const templatesRoutes = [list, create, review, detail, edit] as const;
