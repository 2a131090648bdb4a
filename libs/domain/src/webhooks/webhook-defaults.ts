/** The settings of a webhook that does not give them, except its events, which follow from its channel. */
export const WEBHOOK_DEFAULTS = {
  provider: 'any',
  method: 'POST' as const,
  headers: [],
  fields: [],
  intermediate: false,
  filters: {},
  schedule: null,
  maxInFlight: 4,
  ratePerSecond: null,
  batch: null,
};
