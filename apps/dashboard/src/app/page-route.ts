import { type AnyValidator, createRoute } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { lazyPage } from './lazy-page.ts';
import { shellRoute } from './shell.route.tsx';

/**
 * Declares the route of a page below the shell, whose component is loaded when it is opened:
 * `pageRoute('/queues', () => import('./queues.page.tsx'), 'QueuesPage')`.
 *
 * @param readSearch reads the search parameters that the page knows
 */
export function pageRoute<
  const Path extends string,
  const Name extends string,
  ReadSearch extends AnyValidator | undefined = undefined,
>(path: Path, load: () => Promise<Record<Name, ComponentType>>, name: Name, readSearch?: ReadSearch) {
  return createRoute({
    getParentRoute: () => shellRoute,
    path,
    component: lazyPage(load, name),
    validateSearch: readSearch as ReadSearch,
  });
}
