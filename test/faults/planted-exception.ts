import { subscribe } from 'node:diagnostics_channel';

/** Response header that makes the calling process throw an exception that nothing catches. */
export const PLANTED_HEADER = 'x-planted-exception';

// Loaded by `node --import`. undici publishes to this channel from the middle of its parser.
subscribe('undici:request:headers', (message) => {
  const { headers } = (message as { response: { headers: Buffer[] } }).response;
  if (headers.some((header) => String(header).toLowerCase() === PLANTED_HEADER)) throw new Error('planted');
});
