import { textOf, withoutUndefined } from '../../parts/search-params.ts';

/** Filters of the audit log, as the address of the page holds them. */
export interface AuditSearch {
  /** Id of an operation, such as `revokeApiKey`. */
  action?: string;
  /** Id of what was changed. */
  target?: string;
}

/** Reads the filters of an address; what is not one is left out. */
export function readAuditSearch(search: Record<string, unknown>): AuditSearch {
  return withoutUndefined<AuditSearch>({
    action: textOf(search['action']),
    target: textOf(search['target']),
  });
}
