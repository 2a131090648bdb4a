import { subscribe } from 'node:diagnostics_channel';

/** The header of an answer that makes the process which called throw an exception that nobody catches. */
export const PLANTED_HEADER = 'x-planted-exception';

/** Loaded into a process by `node --import`; undici says on this channel that an answer has begun, in the middle of its parser. */
subscribe('undici:request:headers', (message) => {
  const { headers } = (message as { response: { headers: Buffer[] } }).response;
  if (headers.some((header) => String(header).toLowerCase() === PLANTED_HEADER)) throw new Error('planted');
});
