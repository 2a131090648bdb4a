/** Filters of the list, each a parameter of its address. */
export interface TemplateSearch {
  status?: 'Pending' | 'Approved' | 'Rejected' | 'Paused';
  category?: 'UTILITY' | 'MARKETING' | 'AUTHENTICATION';
  language?: string;
  name?: string;
  chatAccountId?: string;
}

const FILTERS = ['status', 'category', 'language', 'name', 'chatAccountId'] as const;

/** Reads the filters of an address; what is empty is left out. */
export function readTemplateSearch(search: Record<string, unknown>): TemplateSearch {
  const given = FILTERS.filter((name) => search[name] !== undefined && search[name] !== '');
  return Object.fromEntries(given.map((name) => [name, String(search[name])]));
}
