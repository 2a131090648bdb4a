import { oneOf, textOf, withoutUndefined } from '../../parts/search-params.ts';

/** Filters of the attempts of a configuration, as the address of the page holds them. */
export interface DeliverySearch {
  status?: 'waiting' | 'delivered' | 'exhausted';
  messageId?: string;
  recipient?: string;
  /** ISO 8601 instants. */
  from?: string;
  to?: string;
}

const STATUSES = ['waiting', 'delivered', 'exhausted'] as const;
const TEXTS = ['messageId', 'recipient', 'from', 'to'] as const;

/** Reads the filters of an address; what is not one is left out. */
export function readDeliverySearch(search: Record<string, unknown>): DeliverySearch {
  return withoutUndefined<DeliverySearch>({
    status: oneOf(STATUSES, search['status']),
    ...Object.fromEntries(TEXTS.map((name) => [name, textOf(search[name])])),
  });
}
