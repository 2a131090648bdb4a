import { pageRoute } from '../../app/page-route.ts';

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

const list = pageRoute('/templates', () => import('./templates.page.tsx'), 'TemplatesPage', readFilters);
const create = pageRoute(
  '/templates/new',
  () => import('./editor.page.tsx'),
  'NewTemplatePage',
  (search: Record<string, unknown>): { kind?: string; from?: string } => ({
    ...(typeof search['kind'] === 'string' && { kind: search['kind'] }),
    ...(typeof search['from'] === 'string' && { from: search['from'] }),
  }),
);
const review = pageRoute('/templates/review', () => import('./review.page.tsx'), 'ReviewPage');
const detail = pageRoute('/templates/$id', () => import('./template.page.tsx'), 'TemplatePage');
const edit = pageRoute('/templates/$id/edit', () => import('./editor.page.tsx'), 'EditTemplatePage');

export const templatesRoutes = [list, create, review, detail, edit] as const;
