import { pageRoute } from '../../app/page-route.ts';
import { readTemplateSearch } from './template-search.ts';

const list = pageRoute(
  '/templates',
  () => import('./templates.page.tsx'),
  'TemplatesPage',
  readTemplateSearch,
);
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
