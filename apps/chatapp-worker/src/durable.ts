/** The connection whose commits wait for the disk: a provider is told "taken" after them. */
export const DURABLE = 'durable';
