import { lazyRouteComponent } from '@tanstack/react-router';
import { toFailure } from '../api/failure.ts';

/**
 * The component of a page, loaded when it is opened: `lazyPage(() => import('./queues.page.tsx'), 'QueuesPage')`. While the
 * server cannot be reached the page says so; a page of an earlier build loads the document again.
 */
export const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(
    () =>
      load().catch(async (error: unknown) => {
        if (await isReachable()) throw error;
        throw toFailure(undefined, undefined);
      }),
    name,
  );

async function isReachable(): Promise<boolean> {
  try {
    return (await fetch(document.baseURI, { method: 'HEAD', cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}
