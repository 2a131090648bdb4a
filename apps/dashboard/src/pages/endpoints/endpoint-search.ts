export const STATES = ['open', 'half_open', 'failing', 'disabled'] as const;

/** The filter of the endpoints, as the address of the page holds it. */
export interface EndpointSearch {
  state?: (typeof STATES)[number];
}

/** Reads the filter of an address. */
export function readEndpointSearch(search: Record<string, unknown>): EndpointSearch {
  const state = STATES.find((each) => each === search['state']);
  return state === undefined ? {} : { state };
}
