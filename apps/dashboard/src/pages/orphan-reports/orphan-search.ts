/** Filters of the orphan reports, as the address of the page holds them. */
export interface OrphanSearch {
  gateway?: string;
  kind?: 'report' | 'inbound';
}

/** Reads the filters of an address; what is not one is left out. */
export function readOrphanSearch(search: Record<string, unknown>): OrphanSearch {
  const { gateway } = search;
  const kind = (['report', 'inbound'] as const).find((each) => each === search['kind']);
  return {
    ...(typeof gateway === 'string' && gateway !== '' && { gateway }),
    ...(kind !== undefined && { kind }),
  };
}
