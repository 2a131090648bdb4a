import { oneOf, textOf, withoutUndefined } from '../../parts/search-params.ts';

/** Filters of the orphan reports, as the address of the page holds them. */
export interface OrphanSearch {
  gateway?: string;
  kind?: 'report' | 'inbound';
}

/** Reads the filters of an address; what is not one is left out. */
export function readOrphanSearch(search: Record<string, unknown>): OrphanSearch {
  return withoutUndefined<OrphanSearch>({
    gateway: textOf(search['gateway']),
    kind: oneOf(['report', 'inbound'], search['kind']),
  });
}
