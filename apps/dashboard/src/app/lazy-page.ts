import { lazyRouteComponent } from '@tanstack/react-router';
import { toFailure } from '../api/failure.ts';

/** Prefix under which the router notes each module for which it has loaded the document again; it does so once. */
const RELOADS = 'tanstack_router_reload:';

/**
 * The component of a page, loaded when it is opened: `lazyPage(() => import('./queues.page.tsx'), 'QueuesPage')`. While the
 * server cannot be reached the page says so; a page of an earlier build loads the document again.
 */
export const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(async () => {
    try {
      const page = await load();
      forgetReloads();
      return page;
    } catch (error) {
      if (await isReachable()) throw error;
      throw toFailure(undefined, undefined);
    }
  }, name);

/** Lets the next outage load the document again too: some browsers keep that a module failed until then. */
function forgetReloads(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(RELOADS)) sessionStorage.removeItem(key);
}

async function isReachable(): Promise<boolean> {
  try {
    return (await fetch(document.baseURI, { method: 'HEAD', cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}
